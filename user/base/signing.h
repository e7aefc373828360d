/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This header signs results and checks signatures: Ed25519 (RFC 8032) over the canonical text of a document (canonical.h),
 * and a hash over the events before it. The caller owns keys and documents. A key is read before a run, signs the document
 * when that is complete, and is freed.
 *
 * GnuTLS does the arithmetic. It is loaded where a signature is made or checked, and nowhere else: a tester that runs as root
 * has no TLS library in its memory for nothing. What is signed is the document with its member "signature", but for the
 * "value" therein.
 */
#pragma once

#include <jansson.h>

#include "base/message.h"

struct signing_key;

/* Read a private key, PEM of PKCS#8. EXIT_USAGE_ERROR says what is wrong with the file, EXIT_INCAPABLE that GnuTLS is missing. */
enum exit_code signing_key_read(const char *path, struct signing_key **ret);
void signing_key_free(struct signing_key *key);

/* Sign a document: it gets the member "signature", in place of an older one. */
enum exit_code signing_sign(json_t *document, const struct signing_key *key);

/* Load what signing_fault() of this document needs (NULL: of any), for a process that may open no file then. */
void signing_prepare(const json_t *document);
/* Return why the signature of a document does not hold, a phrase; NULL if it holds, or if there is none. */
const char *signing_fault(const json_t *document);

/* Read public keys, PEM, one behind the other. *ret is an object with their fingerprints as members; the caller releases it. */
enum exit_code signing_trust_read(const char *path, json_t **ret);

/* The chain of events: each event is hashed together with the hash of those before. */
struct event_chain {
	json_int_t count;
	unsigned char hash[32];
};

/* The chain of this program's own events. */
struct event_chain *event_chain_own(void);
/* Add an event. It does nothing without GnuTLS. */
void event_chain_add(struct event_chain *chain, const json_t *event);
/* Return {"count", "sha256"}, as it stands in a signature. A new reference. */
json_t *event_chain_json(const struct event_chain *chain);
