# SPDX-License-Identifier: GPL-2.0-or-later
# What belongs to the system it is installed on: shared library, man pages, completion, service; archive and Debian package.

SBINDIR ?= $(PREFIX)/sbin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man
DOCDIR ?= $(PREFIX)/share/doc/xdp-mlr
BASHDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
UNITDIR ?= $(PREFIX)/lib/systemd/system

# Programs that are linked with libmlr.so name this number; it changes when they would have to be built anew.
SONAME := libmlr.so.0

# --- the shared library: what the headers declare, and nothing else ------------------------------------------------------------
$(BUILD)/libmlr.map: $(wildcard include/mlr/*.h)
	@mkdir -p $(@D)
	@{ echo '{ global:'; sed -n 's/.*\<\(mlr_[a-z0-9_]*\)(.*/\1;/p' $^ | sort -u; echo 'local: *; };'; } > $@

$(BUILD)/libmlr.so.$(VERSION): $(lib_objects) $(BUILD)/libmlr.map $(BUILD)/flags/linker
	$(call say,LINK,$@)$(CC) $(ALL_CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(SONAME) -Wl,--version-script,$(BUILD)/libmlr.map \
		-o $@ $(lib_objects) -lm

# --- man pages and completion, from the option table -----------------------------------------------------------------------------
$(BUILD)/mkman: tools/man/mkman.c $(user_objects) $(BUILD)/libmlr.a $(BUILD)/flags/linker
	$(call say,LINK,$@)$(CC) $(CPPFLAGS) -Iuser -I. $(user_cflags) $(ALL_CFLAGS) $(DEPFLAGS) $(LDFLAGS) -o $@ $< \
		$(filter-out $(BUILD)/user/cli/main.o,$(user_objects)) $(BUILD)/libmlr.a $(user_libs)

# it runs here, whatever machine the rest is for
mkman := $(if $(ARCH),build,$(BUILD))/mkman
$(BUILD)/man/stamp: $(mkman) $(wildcard docs/man/*.in)
	$(call say,MAN,$(@D))rm -rf $(@D) && mkdir -p $(@D) && $(mkman) docs/man $(@D) && touch $@

# --- installing ------------------------------------------------------------------------------------------------------------------
install-build: $(BUILD)/xdp-mlr $(BUILD)/libmlr.so.$(VERSION) $(BUILD)/man/stamp

define PC
prefix=$(PREFIX)
libdir=$(LIBDIR)
includedir=$(INCLUDEDIR)

Name: libmlr
Description: MLRsearch (draft-ietf-bmwg-mlrsearch) and PLRsearch: decides which throughput trial comes next
URL: https://datatracker.ietf.org/doc/draft-ietf-bmwg-mlrsearch/
Version: $(VERSION)
Libs: -L$${libdir} -lmlr
Libs.private: -lm
Cflags: -I$${includedir}
endef
export PC

install: install-build ## install the program, libmlr, man pages, completion and service under PREFIX (DESTDIR is honoured)
	install -D -m 755 $(BUILD)/xdp-mlr $(DESTDIR)$(SBINDIR)/xdp-mlr
	install -d $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(INCLUDEDIR)/mlr $(addprefix $(DESTDIR)$(DOCDIR)/,examples measurers schema vectors guide reference internals) \
		$(DESTDIR)$(UNITDIR) \
		$(addprefix $(DESTDIR)$(MANDIR)/man,5 7 8)
	install -m 644 $(BUILD)/libmlr.so.$(VERSION) $(BUILD)/libmlr.a $(DESTDIR)$(LIBDIR)
	ln -sf libmlr.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libmlr.so
	install -m 644 include/mlr/*.h include/mlr/*.def $(DESTDIR)$(INCLUDEDIR)/mlr
	printf '%s\n' "$$PC" > $(DESTDIR)$(LIBDIR)/pkgconfig/mlr.pc
	for section in 5 7 8; do install -m 644 $(BUILD)/man/*.$$section $(DESTDIR)$(MANDIR)/man$$section; done
	install -D -m 644 $(BUILD)/man/completion.bash $(DESTDIR)$(BASHDIR)/xdp-mlr
	install -D -m 644 $(BUILD)/man/completion.zsh $(DESTDIR)$(ZSHDIR)/_xdp-mlr
	sed 's|(docs/|(|g' README.md > $(DESTDIR)$(DOCDIR)/README.md
	chmod 644 $(DESTDIR)$(DOCDIR)/README.md
	install -m 644 docs/*.md docs/*.svg docs/*.png docs/*.tsv docs/grafana.json $(DESTDIR)$(DOCDIR)
	for folder in guide reference internals; do install -m 644 docs/$$folder/*.md $(DESTDIR)$(DOCDIR)/$$folder; done
	install -m 644 docs/schema/*.json $(DESTDIR)$(DOCDIR)/schema
	install -m 644 tests/vectors/*.json $(DESTDIR)$(DOCDIR)/vectors
	install -m 644 tools/examples/* $(DESTDIR)$(DOCDIR)/examples
	install -m 644 tools/measurers/*.py $(DESTDIR)$(DOCDIR)/measurers
	sed 's|(../../docs/|(../|g' tools/measurers/README.md > $(DESTDIR)$(DOCDIR)/measurers/README.md
	chmod 644 $(DESTDIR)$(DOCDIR)/measurers/README.md
	sed 's|@SBINDIR@|$(SBINDIR)|' tools/systemd/xdp-mlr@.service > $(DESTDIR)$(UNITDIR)/xdp-mlr@.service
	chmod 644 $(DESTDIR)$(UNITDIR)/xdp-mlr@.service $(DESTDIR)$(LIBDIR)/pkgconfig/mlr.pc

# beside a program that was built without MPI, which becomes this one for --measurer mpi
install-mpi: ## install what --measurer mpi needs beside the program: `make MPI=1 install-mpi`
	$(Q)[ "$(MPI)" = 1 ] || { echo "make: install-mpi is for MPI=1" >&2; exit 2; }
	$(Q)$(MAKE) --no-print-directory $(BUILD)/xdp-mlr
	install -D -m 755 $(BUILD)/xdp-mlr $(DESTDIR)$(SBINDIR)/xdp-mlr-mpi

uninstall: ## take away what install put under PREFIX
	rm -f $(DESTDIR)$(SBINDIR)/xdp-mlr $(DESTDIR)$(SBINDIR)/xdp-mlr-mpi $(DESTDIR)$(LIBDIR)/libmlr.a $(DESTDIR)$(LIBDIR)/libmlr.so* $(DESTDIR)$(LIBDIR)/pkgconfig/mlr.pc \
		$(DESTDIR)$(BASHDIR)/xdp-mlr $(DESTDIR)$(ZSHDIR)/_xdp-mlr $(DESTDIR)$(UNITDIR)/xdp-mlr@.service \
		$(DESTDIR)$(MANDIR)/man[578]/xdp-mlr*.[578]
	rm -rf $(DESTDIR)$(INCLUDEDIR)/mlr $(DESTDIR)$(DOCDIR)

# --- archive and package ---------------------------------------------------------------------------------------------------------
archive := xdp-mlr-$(VERSION)
SOURCE_PARTS := Makefile README.md LICENSE bpf docs include lib tests tools user .clang-format .editorconfig .ci

dist: $(BUILD)/$(archive).tar.gz ## an archive of the sources, which builds without git

$(BUILD)/$(archive).tar.gz: FORCE
	@mkdir -p $(@D)
	$(call say,TAR,$@)tar -cz -f $@ --transform 's|^|$(archive)/|' --owner=0 --group=0 --sort=name $(SOURCE_PARTS)

deb: ## Debian packages, in $(BUILD)/deb (ARCH=arm64: of that, built here)
	$(Q)tools/deps deb
	$(Q)$(if $(ARCH),tools/deps $(ARCH))
	$(Q)ARCH=$(ARCH) BUILD=$(BUILD) VERSION=$(VERSION) tools/debian/build

FORCE:
.PHONY: install install-build install-mpi uninstall dist deb FORCE
