# SPDX-License-Identifier: GPL-2.0-or-later
# What the tests of the appliance's program share. It runs here as it does in the appliance, over simulated SUTs.
bats_require_minimum_version 1.5.0

APPLIANCE=${BUILD:-build}/xdp-mlr-appliance
XDP_MLR=${BUILD:-build}/xdp-mlr
SIM=sim:jitter,capacity=1e6,sigma=0.01,seed=7
