/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the measurer of frames over real ports says of itself in the result document. JSON objects are new references. */
#ifndef XDP_MLR_MEASURER_XDP_DESCRIBE_H
#define XDP_MLR_MEASURER_XDP_DESCRIBE_H

#include "measurer/xdp_private.h"

/* "measurer" and "traffic_profile". */
json_t *xdp_describe(struct measurer *measurer);
json_t *xdp_traffic_profile(struct measurer *measurer);

/* A port in the former, and how constant the load is, in the latter. */
json_t *xdp_port_json(const struct measurer_xdp *xdp, unsigned int port);
json_t *xdp_load_json(const struct tx_port *tx);

/* Of which frames the checksums are verified, and by what. */
json_t *xdp_verification_json(const struct config *config);

/* Add sentences to the deviations from RFC 2544. */
void xdp_deviations(struct measurer *measurer, json_t *list);

/* The transmit backend: "xsk" or "live". */
const char *xdp_backend(const struct measurer_xdp *xdp);

#endif
