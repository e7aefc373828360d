# SPDX-License-Identifier: GPL-2.0-or-later
# Packages of Debian, fetched by an apt of its own that knows Debian whatever this machine runs; sourced by tools/vm,
# tools/sysroot and tools/image/build. Nothing is installed. $cache is the folder that keeps what is fetched, $architecture
# whose packages (default amd64), VM_MIRROR where from.
mirror=${VM_MIRROR:-http://deb.debian.org}
architecture=${architecture:-amd64}
apt_state=apt
[ "$architecture" = amd64 ] || apt_state=apt-$architecture

# The stable release that this machine is, or else the newest; its kernel; where to look beside Debian 12, which has 6.1, and Debian 13's
# backports, which have 7.3.
case $(. /etc/os-release && echo "${VERSION_CODENAME:-}") in
  bookworm) stable=bookworm stable_kernel=6.1 archives='debian bookworm-backports' ;;
  *) stable=trixie stable_kernel=6.12 archives='debian trixie,debian-security trixie-security' ;;
esac

# No package counts as installed there.
own_apt() { # apt-get|apt-cache ARGUMENT...
  local program=$1 state=$cache/$apt_state
  shift
  "$program" -o Dir::Etc::sourcelist="$state/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::State="$state/state" -o Dir::State::status=/dev/null -o Dir::State::lists="$state/lists" -o Dir::Cache="$state/cache" \
    -o APT::Sandbox::User= -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" -qq "$@"
}

fetch_lists() {
  local key=/usr/share/keyrings/debian-archive-keyring.gpg state=$cache/$apt_state
  [ -e "$key" ] || fail 3 "$key is missing; install debian-archive-keyring"
  mkdir -p "$state"/{state,lists/partial,cache/archives/partial}
  echo "debian bookworm,debian-security bookworm-security,debian trixie-backports,$archives" | tr , '\n' |
    sed "s|.*|deb [signed-by=$key] $mirror/& main non-free-firmware|" >"$state/sources.list"
  own_apt apt-get update || fail 3 "cannot fetch Debian's package lists from $mirror"
}

# Unpack packages into DIRECTORY.new/root. DIRECTORY.new/debs says which: name, version, SHA-256 of the package; files, of which
# package each file is.
fetch_packages() { # DIRECTORY PACKAGE...
  local directory=$1 package deb
  shift
  rm -rf "$directory.new"
  mkdir -p "$directory.new/root"
  for package; do
    (cd "$directory.new" && own_apt apt-get download "$package") || fail 3 "cannot fetch $package from $mirror"
    deb=$(echo "$directory.new"/*.deb)
    dpkg-deb -x "$deb" "$directory.new/root"
    printf '%s\t%s\t%s\n' "$package" "$(dpkg-deb -f "$deb" Version)" "$(sha256sum "$deb" | cut -d' ' -f1)" >>"$directory.new/debs"
    dpkg-deb --fsys-tarfile "$deb" | tar -t | sed "s|^\./usr/lib/|./lib/|; s|^\.|$package\t|" >>"$directory.new/files"
    rm "$deb"
  done
  [ -e "$directory.new/root/lib" ] || ln -s usr/lib "$directory.new/root/lib" # Debian 13 has all below usr
}
