/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * These texts say why the tester limited a result, and what to do. The caller owns document and buffer. A text is computed
 * when a report shows it.
 *
 * The most helpful advice comes first. If the SUT lost most of the missing frames, the advice is about the SUT. Advice about
 * the tester is left out if its share changes nothing.
 */
#pragma once

#include <jansson.h>

/* Where missing frames may be lost, in the order in which a frame travels: members of "loss_attribution". */
enum loss_place { LOSS_UNSENT, LOSS_BEFORE_WIRE, LOSS_TESTER_BURST, LOSS_DAMAGED, LOSS_RECEIVER, LOSS_SUT, LOSS_PLACES };
extern const char *const loss_places[LOSS_PLACES];

#define LIMIT_TEXT_SIZE 1200
/* Say how many trials the tester limited, why, and what helps. */
void limit_text(const json_t *trials, char buffer[LIMIT_TEXT_SIZE]);
/* Say the same of the trials that decide the result of a search for one goal. */
void limit_text_of_goal(const json_t *trials, const json_t *goal_result, char buffer[LIMIT_TEXT_SIZE]);
/* Say the same of one trial, whose pacing may be in another object. */
void limit_text_of_trial(const json_t *trial, const json_t *pacing, char buffer[LIMIT_TEXT_SIZE]);
