/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How something was measured, as text for people: by which transmitter and receiver, with what frames, how constant a load. */
#ifndef XDP_MLR_RENDER_TEXT_SETTING_H
#define XDP_MLR_RENDER_TEXT_SETTING_H

#include <jansson.h>
#include <stddef.h>
#include <stdio.h>

#define SETTING_LABEL_COLUMNS 24
#define SETTING_TEXT_SIZE     256

/* "AF_XDP (xsk), copy mode, 1 queue": what transmits frames; empty where nothing of this program's does. Of several ports that
 * differ, the first one's. */
const char *setting_transmitter(const json_t *document, char text[SETTING_TEXT_SIZE]);

/* Rows of "  label   value" on the document's measurer and Traffic Profile; those that it lacks are left out. */
void render_setting(FILE *stream, const json_t *document);

#endif
