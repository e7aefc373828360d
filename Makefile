# SPDX-License-Identifier: GPL-2.0-or-later
# xdp-mlr: a network throughput tester for Linux. `make help` lists what there is to make.

VERSION := 0.1.0

# SAN=1 builds with address and undefined-behaviour sanitizers, FAULTS=1 with them and so that tests/faults/run can refuse what it asks
# for, MPI=1 with Open MPI (--measurer mpi), STRICT=1 takes a warning for an error (for developers and CI: a user's compiler may know
# warnings that we do not), V=1 shows the commands, ARCH=arm64 builds for that (only on the command line: others have such a variable in
# their environment).
ARCH :=
FAULTS ?= 0
SAN ?= $(FAULTS)
FUZZ ?= 0
MPI ?= 0
STRICT ?= 0
V ?= 0
BUILD ?= build$(addprefix -,$(ARCH))$(if $(filter 1,$(FAULTS)),-faults,$(if $(filter 1,$(SAN)),-san))$(if $(filter 1,$(MPI)),-mpi)$(if $(filter 1,$(STRICT)),-strict)
PREFIX ?= /usr/local
CC ?= gcc
CLANG ?= clang
# Ubuntu's is a script that looks for the running kernel's, which may not be there: then any kernel's
BPFTOOL ?= $(shell PATH=$$PATH:/usr/sbin:/sbin; for tool in bpftool /usr/lib/linux-tools/*/bpftool; do \
	$$tool version >/dev/null 2>&1 && command -v $$tool && exit; done; echo bpftool)
PKG_CONFIG ?= pkg-config
Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),,@printf '  %-5s %s\n' $(1) $(2);)

PACKAGES := libbpf libxdp libelf zlib jansson yaml-0.1 libmnl $(if $(filter 1,$(MPI)),ompi-c)
strict := $(if $(filter 1,$(STRICT)),-Werror)
WARNINGS := -Wall -Wextra $(strict) -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wformat=2 -Wundef -Wno-missing-field-initializers
SANITIZE := $(if $(filter 1,$(SAN)),-fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all -fno-omit-frame-pointer) $(if $(filter 1,$(FUZZ)),-fsanitize=fuzzer-no-link)
CFLAGS ?= -O2 -g
CPPFLAGS += -D_GNU_SOURCE -DXDP_MLR_VERSION='"$(VERSION)"' -Iinclude
# no path of this folder in what is built: the same source gives the same bytes wherever it lies
PREFIX_MAP = -ffile-prefix-map=$(CURDIR)=.
ifneq ($(ARCH),)
include tools/cross.mk
endif
# What the compiler has of: a guard on each stack, checked string functions, stacks touched page by page, branch targets (x86 CET, arm64 BTI
# and PAC), a program at a random address with tables that cannot be written. HARDEN=0 builds without; sanitizers have guards of their own.
HARDEN ?= $(if $(filter 1,$(SAN)),0,1)
compiles = $(shell echo 'int main(void){return 0;}' | $(CC) -Werror $(1) -x c -c -o /dev/null - 2>/dev/null && echo '$(1)')
ifeq ($(HARDEN),1)
HARDENED_CFLAGS := $(foreach flag,-fstack-protector-strong -fstack-clash-protection -fcf-protection=full -mbranch-protection=standard,$(call compiles,$(flag))) \
	-fPIE $(if $(filter-out -O0,$(filter -O%,$(CFLAGS))),-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
HARDENED_LDFLAGS := -pie -Wl,-z,relro,-z,now,-z,noexecstack
endif
ALL_CFLAGS = $(PREFIX_MAP) -std=gnu2x $(CFLAGS) $(WARNINGS) $(SANITIZE) $(HARDENED_CFLAGS) -pthread
DEPFLAGS = -MMD -MP
BPF_CFLAGS := $(PREFIX_MAP) -target bpf -mcpu=v3 -O2 -g -ffreestanding -Wall -Wextra $(strict) -I. -Iinclude $(addprefix --sysroot=,$(SYSROOT)) \
	-I$(SYSROOT)/usr/include/$(shell $(CC) -print-multiarch 2>/dev/null)
user_cflags = $(shell $(PKG_CONFIG) --cflags $(PACKAGES))
user_libs = $(shell $(PKG_CONFIG) --libs $(PACKAGES)) -lm
appliance_libs = $(shell $(PKG_CONFIG) --libs jansson yaml-0.1) -lm
http_libs = $(shell $(PKG_CONFIG) --libs libmicrohttpd gnutls)
# cmocka 2 calls names deprecated that 1.1 has no others for
cmocka_libs = -Wno-deprecated-declarations $(shell $(PKG_CONFIG) --libs cmocka)

# A stamp is a file that holds the flags of a build. It is written again where they differ, and what depends on it is then built again.
# Warnings are left out: they change no code.
compiler_flags := $(strip $(CC) $(filter-out -DXDP_MLR_VERSION%,$(CPPFLAGS)) $(filter-out $(WARNINGS),$(ALL_CFLAGS)))
bpf_flags := $(strip $(CLANG) $(filter-out $(WARNINGS),$(BPF_CFLAGS)))
linker_flags := $(strip $(HARDENED_LDFLAGS) $(LDFLAGS))
version_flags := $(VERSION)
# $(1): the name of the stamp
define stamp
ifneq ($$(strip $$(file <$(BUILD)/flags/$(1))),$$($(1)_flags))
$(BUILD)/flags/$(1): FORCE
endif
$(BUILD)/flags/$(1):
	@mkdir -p $$(@D) && printf '%s\n' '$$(subst ','\'',$$($(1)_flags))' >$$@
endef

lib_objects := $(patsubst lib/%.c,$(BUILD)/lib/%.o,$(wildcard lib/*/*.c))
# one of the two stands for MPI
without_mpi := $(if $(filter 1,$(MPI)),user/measurer/mpi_job_none.c,user/measurer/mpi_job_openmpi.c)
user_objects := $(patsubst user/%.c,$(BUILD)/user/%.o,$(filter-out $(without_mpi) user/appliance/%,$(wildcard user/*/*.c)))
appliance_objects := $(patsubst user/%.c,$(BUILD)/user/%.o,$(wildcard user/appliance/*.c))
# all that it has of the program; the link fails where it wants more
appliance_uses := $(patsubst %,$(BUILD)/user/%.o,base/confine base/directory base/memory base/message base/packed base/plain base/stop base/terminal base/units base/files base/destination base/guard base/process base/standing base/json_text base/keeper base/text_stream base/yaml_read base/flat base/reader base/schema base/nearest progress/view render/markup)
# the appliance's own program, where its HTTP server is
appliance := $(if $(shell $(PKG_CONFIG) --exists libmicrohttpd && echo yes),$(BUILD)/xdp-mlr-appliance)
skeletons := $(patsubst bpf/%.bpf.c,$(BUILD)/bpf/%.skel.h,$(wildcard bpf/*.bpf.c))
unit_tests := $(patsubst tests/unit/%.c,$(BUILD)/tests/unit/%,$(wildcard tests/unit/test_*.c))
bpf_tests := $(patsubst tests/bpf/%.c,$(BUILD)/tests/bpf/%,$(wildcard tests/bpf/test_*.c))
user_tests := $(patsubst tests/user/%.c,$(BUILD)/tests/user/%,$(wildcard tests/user/test_*.c))
appliance_tests := $(if $(appliance),$(patsubst tests/appliance/%.c,$(BUILD)/tests/appliance/%,$(wildcard tests/appliance/test_*.c)))
fuzz_targets := $(patsubst tests/fuzz/%.c,$(BUILD)/tests/fuzz/%,$(filter-out $(if $(appliance),,tests/fuzz/fuzz_http.c tests/fuzz/fuzz_settings.c \
	tests/fuzz/fuzz_watch.c),$(wildcard tests/fuzz/fuzz_*.c)))
test_tools := $(patsubst tests/tools/%.c,$(BUILD)/tests/tools/%,$(wildcard tests/tools/*.c)) $(patsubst tests/%.c,$(BUILD)/tests/%.so,$(wildcard tests/preload/*.c))
benches := $(patsubst tools/bench/%.c,$(BUILD)/bench/%,$(wildcard tools/bench/bench_*.c))

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:
.SECONDARY:
.PHONY: all help deps demo check check-build check-faults fuzz build-fuzz check-vm check-nics check-arm64 check-cluster check-distributions image check-image bench bench-compare bench-counts bench-search mutants clean format

all: $(BUILD)/xdp-mlr $(BUILD)/man/stamp ## build the program and its man pages (the default)

help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

$(foreach name,compiler bpf linker version,$(eval $(call stamp,$(name))))

# --- the library: pure C ---------------------------------------------------------------------------------------------------
$(BUILD)/lib/%.o: lib/%.c $(BUILD)/flags/compiler
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS) -Ilib $(ALL_CFLAGS) $(DEPFLAGS) -fPIC -c -o $@ $<

$(BUILD)/libmlr.a: $(lib_objects)
	$(call say,AR,$@)rm -f $@ && $(AR) rcs $@ $^

# --- the XDP programs: object, then skeleton ----------------------------------------------------------------------------------
$(BUILD)/bpf/%.bpf.o: bpf/%.bpf.c $(BUILD)/flags/bpf
	@mkdir -p $(@D)
	$(call say,CLANG,$<)$(CLANG) $(BPF_CFLAGS) $(DEPFLAGS) -c -o $@ $<

$(BUILD)/bpf/%.skel.h: $(BUILD)/bpf/%.bpf.o
	$(call say,SKEL,$@)$(BPFTOOL) gen skeleton $< name $(*F)_bpf > $@

# --- the program ------------------------------------------------------------------------------------------------------------
# the checklist of a result, from the table of what the drafts require
$(BUILD)/clauses.inc: docs/clauses.tsv tools/clauses.awk
	@mkdir -p $(@D)
	$(call say,AWK,$@)awk -f tools/clauses.awk $< >$@.new && mv $@.new $@

# the styles of pages and of certificates, from their sheets
$(BUILD)/%.inc: user/render/%.css tools/style.awk
	@mkdir -p $(@D)
	$(call say,AWK,$@)awk -f tools/style.awk $< >$@.new && mv $@.new $@

$(BUILD)/user/%.o: user/%.c $(BUILD)/flags/compiler $(BUILD)/flags/version | $(skeletons) $(BUILD)/clauses.inc $(BUILD)/style.inc $(BUILD)/certificate.inc
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS) -Iuser -I. -I$(BUILD) -I$(BUILD)/bpf $(user_cflags) $(ALL_CFLAGS) $(DEPFLAGS) -c -o $@ $<

# the published schemas are in the program
$(BUILD)/user/base/schema.o: $(wildcard docs/schema/*.json)

# refuses what the program asks for; the return addresses that it goes by must be there
fault_objects := $(if $(filter 1,$(FAULTS)),$(BUILD)/tests/faults/faults.o)
$(BUILD)/tests/faults/faults.o: tests/faults/faults.c $(BUILD)/flags/compiler
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS) $(filter-out -fsanitize%,$(ALL_CFLAGS)) $(DEPFLAGS) -c -o $@ $<

$(BUILD)/xdp-mlr: $(user_objects) $(BUILD)/libmlr.a $(fault_objects) $(BUILD)/flags/linker
	$(call say,LINK,$@)$(CC) $(ALL_CFLAGS) $(HARDENED_LDFLAGS) $(LDFLAGS) -o $@ $(filter-out $(BUILD)/flags/%,$^) $(user_libs)

$(BUILD)/xdp-mlr-appliance: $(appliance_objects) $(appliance_uses) $(BUILD)/flags/linker
	$(call say,LINK,$@)$(CC) $(ALL_CFLAGS) $(HARDENED_LDFLAGS) $(LDFLAGS) -o $@ $(filter-out $(BUILD)/flags/%,$^) $(appliance_libs) $(http_libs)

# --- tests and benchmarks ------------------------------------------------------------------------------------------------------
$(BUILD)/tests/unit/%: tests/unit/%.c $(BUILD)/libmlr.a
	@mkdir -p $(@D)
	$(call say,TEST,$<)$(CC) $(CPPFLAGS) -Ilib -Itests/unit $(ALL_CFLAGS) $(DEPFLAGS) -o $@ $< $(BUILD)/libmlr.a $(cmocka_libs) -lm

# tests of what acts link the program's own objects, all but its main()
# (as an archive, so that a file which a test includes, to reach what is the file's own, is not linked once more)
$(BUILD)/tests/program.a: $(filter-out $(BUILD)/user/cli/main.o,$(user_objects)) $(if $(appliance),$(filter-out $(BUILD)/user/appliance/main.o,$(appliance_objects)))
	@mkdir -p $(@D)
	$(call say,AR,$@)rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/tests/bpf/%: tests/bpf/%.c $(BUILD)/tests/program.a $(BUILD)/libmlr.a
	@mkdir -p $(@D)
	$(call say,TEST,$<)$(CC) $(CPPFLAGS) -Iuser -Itests/bpf -I. -I$(BUILD)/bpf $(user_cflags) $(ALL_CFLAGS) $(DEPFLAGS) -o $@ $< \
		$(BUILD)/tests/program.a $(BUILD)/libmlr.a $(user_libs) $(cmocka_libs)

$(BUILD)/tests/user/%: tests/user/%.c $(BUILD)/tests/program.a $(BUILD)/libmlr.a
	@mkdir -p $(@D)
	$(call say,TEST,$<)$(CC) $(CPPFLAGS) -Iuser -Itests/bpf -I. -I$(BUILD)/bpf $(user_cflags) $(ALL_CFLAGS) $(DEPFLAGS) -o $@ $< \
		$(BUILD)/tests/program.a $(BUILD)/libmlr.a $(user_libs) $(cmocka_libs)

# fuzz targets, with a driver of their own or, FUZZ=1, libFuzzer
$(BUILD)/tests/fuzz/driver.o: tests/fuzz/driver.c $(BUILD)/flags/compiler
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(CPPFLAGS) -Iuser $(ALL_CFLAGS) $(DEPFLAGS) -c -o $@ $<

$(BUILD)/tests/fuzz/%: tests/fuzz/%.c $(if $(filter 1,$(FUZZ)),,$(BUILD)/tests/fuzz/driver.o) $(BUILD)/tests/program.a $(BUILD)/libmlr.a
	@mkdir -p $(@D)
	$(call say,FUZZ,$<)$(CC) $(CPPFLAGS) -Itests/fuzz/kernel -Iuser -I. -I$(BUILD) -I$(BUILD)/bpf $(user_cflags) $(ALL_CFLAGS) \
		$(if $(filter 1,$(FUZZ)),-fsanitize=fuzzer) $(DEPFLAGS) -o $@ $< $(filter %.o,$^) $(filter %.a,$^) $(user_libs) \
		$(if $(appliance),$(http_libs))

# XDP programs read words at any address, as the kernel's processors do
$(BUILD)/tests/fuzz/fuzz_receiver: private ALL_CFLAGS += -fno-sanitize=alignment

$(BUILD)/tests/fuzz/seeds: tests/fuzz/seeds $(wildcard tests/golden/*)
	@mkdir -p $(@D)
	$(call say,SEEDS,$@)tests/fuzz/seeds $@

$(BUILD)/tests/appliance/%: tests/appliance/%.c $(appliance_objects) $(appliance_uses)
	@mkdir -p $(@D)
	$(call say,TEST,$<)$(CC) $(CPPFLAGS) -Iuser -Itests/bpf -I. $(user_cflags) $(ALL_CFLAGS) $(DEPFLAGS) -o $@ $< \
		$(filter-out $(patsubst %,$(BUILD)/user/appliance/%.o,main runner command keep console http http_server pages),$(appliance_objects)) \
		$(appliance_uses) $(appliance_libs) $(http_libs) $(cmocka_libs)

# what tests run; knows nothing of the program
$(BUILD)/tests/tools/%: tests/tools/%.c $(BUILD)/flags/compiler
	@mkdir -p $(@D)
	$(call say,TEST,$<)$(CC) $(CPPFLAGS) $(user_cflags) $(ALL_CFLAGS) $(DEPFLAGS) -o $@ $< $(user_libs)

# by the program's own engine
$(BUILD)/tests/tools/validate: tests/tools/validate.c $(BUILD)/tests/program.a $(BUILD)/libmlr.a $(BUILD)/flags/compiler
	@mkdir -p $(@D)
	$(call say,TEST,$<)$(CC) $(CPPFLAGS) -Iuser $(user_cflags) $(ALL_CFLAGS) $(DEPFLAGS) -o $@ $< $(BUILD)/tests/program.a $(BUILD)/libmlr.a $(user_libs)

# what tests put before the C library
$(BUILD)/tests/preload/%.so: tests/preload/%.c $(BUILD)/flags/compiler
	@mkdir -p $(@D)
	$(call say,TEST,$<)$(CC) $(CPPFLAGS) $(filter-out -fsanitize%,$(ALL_CFLAGS)) -fPIC -shared -o $@ $<

# the receiver's own program, made to run on the same frame again and again
$(BUILD)/bench/%.bpf.o: tools/bench/%.bpf.c $(BUILD)/flags/bpf
	@mkdir -p $(@D)
	$(call say,CLANG,$<)$(CLANG) $(BPF_CFLAGS) $(DEPFLAGS) -c -o $@ $<

$(BUILD)/bench/%.skel.h: $(BUILD)/bench/%.bpf.o
	$(call say,SKEL,$@)$(BPFTOOL) gen skeleton $< name $(*F)_bpf > $@

$(BUILD)/bench/bench_receiver: tools/bench/bench_receiver.c $(BUILD)/bench/receiver.skel.h $(BUILD)/libmlr.a
	$(call say,BENCH,$<)$(CC) $(CPPFLAGS) -I. -I$(BUILD)/bench $(user_cflags) $(ALL_CFLAGS) $(DEPFLAGS) -o $@ $< $(BUILD)/libmlr.a \
		$(user_libs)

$(BUILD)/bench/bench_floor: tools/bench/bench_floor.c $(BUILD)/bench/floor.skel.h $(BUILD)/libmlr.a
	$(call say,BENCH,$<)$(CC) $(CPPFLAGS) -Iuser -I. -I$(BUILD)/bench $(user_cflags) $(ALL_CFLAGS) $(DEPFLAGS) -o $@ $< $(BUILD)/libmlr.a \
		$(user_libs)

# the program's own transmitters and receiver
$(BUILD)/bench/bench_live $(BUILD)/bench/bench_transmitter $(BUILD)/bench/bench_tx: $(BUILD)/bench/%: tools/bench/%.c $(user_objects) $(BUILD)/libmlr.a
	@mkdir -p $(@D)
	$(call say,BENCH,$<)$(CC) $(CPPFLAGS) -Iuser -I. $(user_cflags) $(ALL_CFLAGS) $(DEPFLAGS) -o $@ $< \
		$(filter-out $(BUILD)/user/cli/main.o,$(user_objects)) $(BUILD)/libmlr.a $(user_libs)

# has the transmitter's file in it
$(BUILD)/bench/bench_steps: tools/bench/bench_steps.c $(user_objects) $(BUILD)/libmlr.a
	@mkdir -p $(@D)
	$(call say,BENCH,$<)$(CC) $(CPPFLAGS) -Iuser -I. $(user_cflags) $(ALL_CFLAGS) $(DEPFLAGS) -o $@ $< \
		$(filter-out $(BUILD)/user/cli/main.o $(BUILD)/user/dataplane/tx_xsk.o,$(user_objects)) $(BUILD)/libmlr.a $(user_libs)

$(BUILD)/bench/%: tools/bench/%.c $(BUILD)/libmlr.a
	@mkdir -p $(@D)
	$(call say,BENCH,$<)$(CC) $(CPPFLAGS) $(ALL_CFLAGS) $(DEPFLAGS) -o $@ $< $(BUILD)/libmlr.a -lm

check-build: $(BUILD)/xdp-mlr $(appliance) $(unit_tests) $(bpf_tests) $(user_tests) $(appliance_tests) $(test_tools) $(fuzz_targets) $(BUILD)/tests/fuzz/seeds install-build ## build the program and all tests, without root

check: deps ## install what is missing, build, run every test
	$(Q)[ "$$(id -u)" -ne 0 ] || tools/deps observe
	$(Q)$(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$$(nproc)) check-build
	$(Q)tools/words --sum
	$(Q)BUILD=$(BUILD) tests/run

# TIME: seconds of each target; TARGET: one of them (report for tests/fuzz/fuzz_report.c); RUNS: inputs of each at most
TIME ?= 60
TARGET ?=
fuzz: ## fuzz every parser with libFuzzer and sanitizers, one after the other (TIME=600 s each, TARGET=report: only that one)
	$(Q)tools/deps fuzz
	$(Q)$(MAKE) --no-print-directory BUILD=build-fuzz CC="$(CLANG)" SAN=1 FUZZ=1 build-fuzz
	$(Q)BUILD=build-fuzz tests/fuzz/run $(TIME) $(TARGET)

build-fuzz: $(fuzz_targets) $(BUILD)/tests/fuzz/seeds

# not in `make check`: it takes an hour
check-faults: ## refuse what the program asks for, one request a run: no crash, no leak, the right exit code, ports as before (EVERY=N: a sample)
	$(Q)$(MAKE) --no-print-directory FAULTS=1 build-faults/xdp-mlr
	$(Q)tests/faults/run

# not in `make check`: they fetch kernels, and emulate them
VM_KERNELS ?= 6.1 6.12
check-vm: ## run the product on other kernels, in QEMU: Debian's 6.1 and 6.12; and on NICs of known truth, with 7.3
	$(Q)tools/deps vm
	$(Q)$(MAKE) --no-print-directory check-build
	$(Q)for kernel in $(VM_KERNELS); do BUILD=$(BUILD) tests/vm/run $$kernel || exit 1; done
	$(Q)BUILD=$(BUILD) tests/vm/module/run

NICS ?=
check-nics: ## run the product on the NICs that QEMU emulates, with three kernels, and write tests/nics/README.md's table of them (NICS='igb:6.12 virtio:6.1': of these)
	$(Q)tools/deps vm
	$(Q)$(MAKE) --no-print-directory $(BUILD)/xdp-mlr $(BUILD)/tests/user/test_phc $(BUILD)/tests/tools/speak
	$(Q)BUILD=$(BUILD) tests/nics/run $(NICS)

check-arm64: ## build for arm64; run its unit tests and the product there, on the same kernels in QEMU
	$(Q)tools/deps arm64
	$(Q)$(MAKE) --no-print-directory ARCH=arm64 check-build
	$(Q)BUILD=build-arm64 tests/vm/units arm64
	$(Q)for kernel in $(VM_KERNELS); do ARCH=arm64 BUILD=build-arm64 tests/vm/run $$kernel || exit 1; done

# not in `make check`: it fetches whole systems
SUITES ?= bookworm trixie sid
check-distributions: ## run make demo and make check on bare Debian 12, 13 and sid (SUITES='trixie sid'), and write docs/internals/testing.md's table of them
	$(Q)tools/deps distributions
	$(Q)tools/distributions $(SUITES)

# --- the appliance ----------------------------------------------------------------------------------------------------------
# that of the stable release which this system is
IMAGE_KERNEL ?= $(shell . tools/apt.sh && echo $$stable_kernel)
IMAGE_NICS ?= all
IMAGE_FIRMWARE ?= yes
image: ## build the appliance, which boots into a tester: disk, ISO, UEFI image (IMAGE_KERNEL=6.1|6.12|7.3 IMAGE_NICS=all|vm IMAGE_FIRMWARE=yes|no)
	$(Q)tools/deps image
	$(Q)$(MAKE) --no-print-directory $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$$(nproc)) $(BUILD)/xdp-mlr $(BUILD)/xdp-mlr-appliance
	$(Q)BUILD=$(BUILD) IMAGE_FIRMWARE=$(IMAGE_FIRMWARE) tools/image/build $(IMAGE_KERNEL) $(IMAGE_NICS)

check-image: image ## boot the appliance in QEMU, from all that it boots from, and see what it does
	$(Q)BUILD=$(BUILD) IMAGE_FIRMWARE=$(IMAGE_FIRMWARE) tests/image/run $(IMAGE_KERNEL)

# not in `make check`: it needs Slurm and Open MPI
check-cluster: ## run a campaign on a Slurm of two nodes, and trials by several hosts by Open MPI, all on this machine
	$(Q)tools/deps cluster
	$(Q)$(MAKE) --no-print-directory check-build
	$(Q)$(MAKE) --no-print-directory MPI=1 BUILD=$(BUILD)-mpi $(BUILD)-mpi/xdp-mlr
	$(Q)BUILD=$(BUILD) BUILD_MPI=$(BUILD)-mpi bats tests/cluster

bench: ## install what is missing, build, measure the tester itself, beside other transmitters
	$(Q)tools/deps bench
	$(Q)$(MAKE) --no-print-directory all $(benches) $(BUILD)/bench/drop.bpf.o
	$(Q)BUILD=$(BUILD) tools/bench/run

bench-counts: all ## does every frame count, from 1 kfps to 80 % of the self-test's figure, by both backends: an hour
	$(Q)BUILD=$(BUILD) tools/bench/bench_counts xsk
	$(Q)BUILD=$(BUILD) tools/bench/bench_counts live

# SEEDS=N: so many searches a SUT; REFERENCE: results of the reference implementation, to compare with
SEEDS ?= 20
REFERENCE ?= tools/bench/reference/reference.csv
bench-search: $(BUILD)/bench/bench_algorithms $(BUILD)/bench/bench_controller $(BUILD)/bench/bench_search ## every search algorithm on simulated SUTs, and its own cost
	$(Q)$(BUILD)/bench/bench_algorithms $(SEEDS) $(REFERENCE)
	$(Q)$(BUILD)/bench/bench_controller
	$(Q)$(BUILD)/bench/bench_search --seeds $(SEEDS) $(REFERENCE) # and how good the time to go is

bench-compare: all ## how often compare is right: two searches of each of many SUTs, some of them 3 % slower
	$(Q)BUILD=$(BUILD) tools/bench/compare

# TESTS='cli/usage user/test_config': by these test files; MOST=40: so many mutants; LINES=20-60: only there
mutants: check-build ## change FILE=lib/trial/trial.c in one place after the other, and print the changes that no test notices (MOST=40 TESTS=cli/usage LINES=20-60)
	$(Q)BUILD=$(BUILD) nice -n 19 tools/mutants $(FILE) $(addprefix --most=,$(MOST)) $(addprefix --lines=,$(LINES)) $(if $(TESTS),--tests='$(TESTS)')

demo: deps ## install what is missing, build, run a real search against a real router
	$(Q)$(MAKE) --no-print-directory all
	$(Q)BUILD=$(BUILD) tools/demo

deps: ## install what is missing (Debian, Ubuntu, Fedora)
	$(Q)tools/deps

include tools/install.mk

clean: ## delete what was built
	rm -rf build build-san* build-fuzz build-faults* build-mpi* build-strict build-arm64*

format: ## lay the sources out as .clang-format says
	clang-format -i $(wildcard lib/*/*.[ch] user/*/*.[ch] bpf/*.[ch] include/mlr/*.h tests/*/*.[ch] tools/*/*.c)

-include $(shell find $(BUILD) -path $(BUILD)/vm -prune -o -name '*.d' -type f -print 2>/dev/null)
