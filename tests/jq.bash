# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by the end-to-end tests: what asks whether something is true of a document, some thousand times. jq of before 1.7 needs ten times
# as long to begin as gojq; which puts members into an order of its own, so it is for asking only.
export JQ
JQ=$(command -v gojq || echo jq)
