# SPDX-License-Identifier: GPL-2.0-or-later
# make ARCH=arm64: the same for another architecture, by Debian's cross compiler, against its packages in SYSROOT (tools/sysroot).
# docs/internals/testing.md

triplet := $(or $(patsubst arm64,aarch64-linux-gnu,$(filter arm64,$(ARCH))),$(error ARCH=$(ARCH): there is only arm64))
SYSROOT := $(abspath $(or $(VM_CACHE),build/vm))/$(ARCH)$(if $(filter 1,$(MPI)),-mpi)/root
CC := $(triplet)-gcc --sysroot=$(SYSROOT)
AR := $(triplet)-ar
PKG_CONFIG := env PKG_CONFIG_PATH= PKG_CONFIG_SYSROOT_DIR=$(SYSROOT) \
	PKG_CONFIG_LIBDIR=$(SYSROOT)/usr/lib/$(triplet)/pkgconfig:$(SYSROOT)/usr/share/pkgconfig pkg-config
# what is built does not tell where its headers lay
PREFIX_MAP += -ffile-prefix-map=$(SYSROOT)=

# fetched where it is missing, before anything asks it
include $(SYSROOT)/../fetched
$(SYSROOT)/../fetched:
	$(Q)tools/deps $(ARCH)
	$(Q)tools/sysroot $(ARCH) $(if $(filter 1,$(MPI)),mpi)

# what runs in a build runs on this machine; the environment's flags are for the other
build/mkman: FORCE
	$(Q)env -u CFLAGS -u CPPFLAGS -u LDFLAGS $(MAKE) --no-print-directory ARCH= SYSROOT= MPI=0 SAN=0 BUILD=build $@
