/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How something was measured: by which transmitter and receiver, with what frames, how constant a load. */
#ifndef XDP_MLR_RENDER_CONTENT_SETTING_H
#define XDP_MLR_RENDER_CONTENT_SETTING_H

#include <jansson.h>
#include <stddef.h>

#include "render/writer.h"

#define SETTING_TEXT_SIZE 256

/* "AF_XDP (xsk), copy mode, 1 queue": what transmits frames; empty where nothing of this program's does. Of several ports that
 * differ, the first one's. */
const char *setting_transmitter(const json_t *document, char text[SETTING_TEXT_SIZE]);

/* A section on the document's measurer and Traffic Profile; what they lack is left out. */
void setting_put(struct writer *writer, const json_t *document);

#endif
