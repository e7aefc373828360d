/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/signing.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/canonical.h"
#include "base/exit_code.h"
#include "base/files.h"
#include "base/flat.h"
#include "base/json_read.h"
#include "base/json_value.h"
#include "base/reader.h"

#define MEMBER       "signature"
#define ALGORITHM    "Ed25519"
#define CONTEXT      "xdp-mlr result 1\n" /* prefix of the text, so that no other use of the key signs the same */
#define HASH_OCTETS  32
#define KEY_OCTETS   (1 << 20) /* octets of a file of keys, at most */
#define VALUE_OCTETS 64
#define SPKI_OCTETS  128 /* octets of a public key, at most; Ed25519 has 44 */

struct event_chain *event_chain_own(void)
{
	static struct event_chain chain;

	return &chain;
}

static void to_hex(const unsigned char *octets, size_t count, char *ret)
{
	for (size_t i = 0; i < count; i++)
		snprintf(ret + 2 * i, 3, "%02x", octets[i]);
}

json_t *event_chain_json(const struct event_chain *chain)
{
	char hash[2 * HASH_OCTETS + 1];

	to_hex(chain->hash, HASH_OCTETS, hash);
	return json_with("count", chain->count, "sha256", hash);
}

#if __has_include(<gnutls/abstract.h>)
#include <gnutls/abstract.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>

#define LIBRARY "libgnutls.so.30"

#define FUNCTIONS(_)                                                                                                        \
	_(privkey_init)                                                                                                     \
	_(privkey_deinit)                                                                                                   \
	_(privkey_import_x509_raw)                                                                                          \
	_(privkey_get_pk_algorithm)                                                                                         \
	_(privkey_sign_data2)                                                                                               \
	_(pubkey_init)                                                                                                      \
	_(pubkey_deinit)                                                                                                    \
	_(pubkey_import)                                                                                                    \
	_(pubkey_import_privkey)                                                                                            \
	_(pubkey_get_pk_algorithm)                                                                                          \
	_(pubkey_export)                                                                                                    \
	_(pubkey_verify_data2)                                                                                              \
	_(hash_fast)

#define POINTER(name) __typeof__(gnutls_##name) *name;
static struct gnutls_functions {
	FUNCTIONS(POINTER)
} gnutls;

/* The file of a private key. Only a process without privileges reads more in it than octets. */
struct signing_key {
	char *text;
	size_t length;
};

/* A private key, and its public one. */
struct key_pair {
	gnutls_privkey_t private;
	gnutls_pubkey_t public;
};

/* Load the library, once. */
static bool is_there(void)
{
	static void *library;

	if (library)
		return true;
	library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
#define LOOK_UP(name) gnutls.name = library ? (__typeof__(gnutls.name))dlsym(library, "gnutls_" #name) : NULL;
	FUNCTIONS(LOOK_UP)
#define MISSING(name) || !gnutls.name
	if (!library FUNCTIONS(MISSING))
		library = NULL;
	return library != NULL;
}

static bool sha256(const void *octets, size_t count, unsigned char ret[HASH_OCTETS])
{
	return gnutls.hash_fast(GNUTLS_DIG_SHA256, octets, count, ret) == 0;
}

void signing_key_free(struct signing_key *key)
{
	if (!key)
		return;
	if (key->text)
		explicit_bzero(key->text, key->length);
	free(key->text);
	free(key);
}

static void free_pair(struct key_pair *pair)
{
	if (pair->public)
		gnutls.pubkey_deinit(pair->public);
	if (pair->private)
		gnutls.privkey_deinit(pair->private);
}

static bool import_pair(const struct signing_key *key, struct key_pair *pair)
{
	const gnutls_datum_t pem = { (unsigned char *)key->text, (unsigned int)key->length };

	return gnutls.privkey_init(&pair->private) == 0 && gnutls.pubkey_init(&pair->public) == 0 &&
	       gnutls.privkey_import_x509_raw(pair->private, &pem, GNUTLS_X509_FMT_PEM, NULL, 0) == 0 &&
	       gnutls.privkey_get_pk_algorithm(pair->private, NULL) == GNUTLS_PK_EDDSA_ED25519 &&
	       gnutls.pubkey_import_privkey(pair->public, pair->private, 0, 0) == 0;
}

/* Read the file of an option, as text. */
static enum exit_code read_keys(const char *option, const char *path, char **ret_text, size_t *ret_length)
{
	int error = file_read(path, KEY_OCTETS, ret_text, ret_length);

	if (error)
		return refuse(EXIT_USAGE_ERROR, "--%s: cannot read %s: %s", option, path, strerror(-error));
	if (is_there())
		return EXIT_DONE;
	free(*ret_text);
	*ret_text = NULL;
	return refuse(EXIT_INCAPABLE, "--%s needs GnuTLS, and this machine has no " LIBRARY "; install it", option);
}

struct key_file {
	const char *path;
	const struct signing_key *key;
};

static enum exit_code check_key(void *context, FILE *)
{
	const struct key_file *file = context;
	struct key_pair pair = { 0 };
	bool is_key = import_pair(file->key, &pair);

	free_pair(&pair);
	return is_key ? EXIT_DONE
		      : refuse(EXIT_USAGE_ERROR,
			       "--sign: %s has no private key of " ALGORITHM
			       " without a password; 'openssl genpkey -algorithm ed25519' makes one",
			       file->path);
}

enum exit_code signing_key_read(const char *path, struct signing_key **ret)
{
	struct signing_key *key = calloc(1, sizeof(*key));
	struct key_file file = { path, key };
	const struct reader_plan plan = { .parse = check_key, .context = &file, .fd = -1, .name = path };
	enum exit_code code;

	if (!key)
		return out_of_memory();
	code = read_keys("sign", path, &key->text, &key->length) ?: reader_run(&plan, NULL, NULL);
	if (code == EXIT_DONE)
		*ret = key;
	else
		signing_key_free(key);
	return code;
}

/* Get a public key as it stands in a certificate (SubjectPublicKeyInfo, DER), as hexadecimal digits, and its SHA-256. */
struct public_text {
	char spki[2 * SPKI_OCTETS + 1], fingerprint[2 * HASH_OCTETS + 1];
};

static bool describe_public(gnutls_pubkey_t public, struct public_text *ret)
{
	unsigned char spki[SPKI_OCTETS], hash[HASH_OCTETS];
	size_t length = sizeof(spki);

	if (gnutls.pubkey_get_pk_algorithm(public, NULL) != GNUTLS_PK_EDDSA_ED25519 ||
	    gnutls.pubkey_export(public, GNUTLS_X509_FMT_DER, spki, &length) != 0 || !sha256(spki, length, hash))
		return false;
	to_hex(spki, length, ret->spki);
	to_hex(hash, HASH_OCTETS, ret->fingerprint);
	return true;
}

/* Return the signed text: the document without the value of its signature. The caller frees it. */
static char *signed_text(const json_t *document, size_t *ret_length)
{
	json_auto_t *whole = json_copy((json_t *)document);
	json_auto_t *signature = json_copy(json_object_get(document, MEMBER));
	owned char *text = NULL;
	size_t length = 0;
	char *all = NULL;

	json_object_del(signature, "value");
	json_object_set(whole, MEMBER, signature);
	text = canonical_text(whole, &length);
	all = text ? malloc(sizeof(CONTEXT) + length) : NULL;
	if (!all)
		return NULL;
	memcpy(all, CONTEXT, sizeof(CONTEXT) - 1);
	memcpy(all + sizeof(CONTEXT) - 1, text, length);
	*ret_length = sizeof(CONTEXT) - 1 + length;
	return all;
}

struct to_sign {
	json_t *document;
	const struct signing_key *key;
};

/* Put the value of its signature into a document's member "signature", which has all else. False without memory. */
static bool add_value(const struct to_sign *what, gnutls_privkey_t private)
{
	char value[2 * VALUE_OCTETS + 1] = "";
	gnutls_datum_t made = { 0 };
	size_t length = 0;
	owned char *text = signed_text(what->document, &length);
	const gnutls_datum_t data = { (unsigned char *)text, (unsigned int)length };

	if (!text || gnutls.privkey_sign_data2(private, GNUTLS_SIGN_EDDSA_ED25519, 0, &data, &made) != 0)
		return false;
	if (made.size == VALUE_OCTETS)
		to_hex(made.data, made.size, value);
	free(made.data);
	json_put(json_object_get(what->document, MEMBER), "value", value);
	return true;
}

/* Sign the document, which may be a copy of it in another process, and write its member "signature". */
static enum exit_code make_signature(void *context, FILE *flat)
{
	const struct to_sign *what = context;
	struct key_pair pair = { 0 };
	struct public_text public;
	bool is_made = import_pair(what->key, &pair) && describe_public(pair.public, &public);

	if (is_made) {
		json_put(what->document, MEMBER,
			 json_with("algorithm", ALGORITHM, "public_key", public.spki, "fingerprint", public.fingerprint));
		if (event_chain_own()->count)
			json_put(json_object_get(what->document, MEMBER), "events", event_chain_json(event_chain_own()));
		is_made = add_value(what, pair.private);
	}
	free_pair(&pair);
	if (!is_made)
		return refuse(EXIT_INCAPABLE, "GnuTLS cannot sign the result");
	flat_write(flat, json_object_get(what->document, MEMBER));
	return EXIT_DONE;
}

enum exit_code signing_sign(json_t *document, const struct signing_key *key)
{
	struct to_sign what = { document, key };
	const struct reader_plan plan = { .parse = make_signature, .context = &what, .fd = -1, .name = "--sign" };
	json_t *signature = NULL;
	enum exit_code code = reader_run_through(&plan, &signature);

	if (code == EXIT_DONE)
		json_put(document, MEMBER, signature);
	return code;
}

/* Convert hexadecimal digits to octets. Returns how many; 0 if they are no such digits, or too many. */
static size_t from_hex(const char *text, unsigned char *ret, size_t most)
{
	size_t digits = strlen(text);

	if (digits % 2 || digits / 2 > most || strspn(text, "0123456789abcdef") != digits)
		return 0;
	for (size_t i = 0; i < digits / 2; i++)
		ret[i] = (unsigned char)strtoul((const char[]){ text[2 * i], text[2 * i + 1], '\0' }, NULL, 16);
	return digits / 2;
}

static const char *fault_of(const json_t *document, const json_t *signature, gnutls_pubkey_t public)
{
	unsigned char spki[SPKI_OCTETS], value[VALUE_OCTETS];
	gnutls_datum_t key = { spki, (unsigned int)from_hex(read_text(signature, "public_key"), spki, sizeof(spki)) };
	gnutls_datum_t made = { value, (unsigned int)from_hex(read_text(signature, "value"), value, sizeof(value)) }, data;
	struct public_text described;
	owned char *text = NULL;
	size_t length = 0;

	if (!key.size || gnutls.pubkey_import(public, &key, GNUTLS_X509_FMT_DER) != 0 ||
	    !describe_public(public, &described))
		return "its public_key is none of " ALGORITHM;
	if (strcmp(described.fingerprint, read_text(signature, "fingerprint")) != 0)
		return "its fingerprint is not that of its public_key";
	text = signed_text(document, &length);
	data = (gnutls_datum_t){ (unsigned char *)text, (unsigned int)length };
	if (made.size != VALUE_OCTETS || !text ||
	    gnutls.pubkey_verify_data2(public, GNUTLS_SIGN_EDDSA_ED25519, 0, &data, &made) < 0)
		return "it does not fit the document: one of them was changed";
	return NULL;
}

void signing_prepare(const json_t *document)
{
	if (!document || json_object_get(document, MEMBER))
		is_there(); /* signing_fault() tells if it is not */
}

const char *signing_fault(const json_t *document)
{
	const json_t *signature = json_object_get(document, MEMBER);
	gnutls_pubkey_t public;
	const char *fault;

	if (!signature)
		return NULL;
	if (!json_is_object(signature) || strcmp(read_text(signature, "algorithm"), ALGORITHM) != 0)
		return "it is not one of " ALGORITHM;
	if (!is_there())
		return "it cannot be checked: this machine has no " LIBRARY;
	if (gnutls.pubkey_init(&public) != 0)
		return "there is no memory to check it";
	fault = fault_of(document, signature, public);
	gnutls.pubkey_deinit(public);
	return fault;
}

/* Add the fingerprint of a key; false if it is none of ours. */
static bool trust(json_t *fingerprints, char *pem, size_t length)
{
	gnutls_datum_t data = { (unsigned char *)pem, (unsigned int)length };
	struct public_text public;
	gnutls_pubkey_t key;
	bool known;

	if (gnutls.pubkey_init(&key) != 0)
		return false;
	known = gnutls.pubkey_import(key, &data, GNUTLS_X509_FMT_PEM) == 0 && describe_public(key, &public);
	gnutls.pubkey_deinit(key);
	if (known)
		json_put(fingerprints, public.fingerprint, true);
	return known;
}

struct trusted_file {
	char *text;
	const char *path;
};

/* Write the fingerprints of the keys in a file. */
static enum exit_code read_trusted(void *context, FILE *flat)
{
	static const char end[] = "-----END PUBLIC KEY-----";
	const struct trusted_file *file = context;
	json_auto_t *fingerprints = json_object();
	bool all = true;

	for (char *at = file->text, *stop; (stop = strstr(at, end)) != NULL; at = stop + sizeof(end) - 1)
		all &= trust(fingerprints, at, (size_t)(stop - at) + sizeof(end) - 1);
	if (!all || !json_object_size(fingerprints))
		return refuse(EXIT_USAGE_ERROR, "--trust: %s is no list of public keys of " ALGORITHM " in PEM", file->path);
	flat_write(flat, fingerprints);
	return EXIT_DONE;
}

enum exit_code signing_trust_read(const char *path, json_t **ret)
{
	struct trusted_file file = { .path = path };
	const struct reader_plan plan = { .parse = read_trusted, .context = &file, .fd = -1, .name = path };
	size_t length = 0;
	enum exit_code code = read_keys("trust", path, &file.text, &length);

	if (code != EXIT_DONE)
		return code;
	code = reader_run(&plan, ret, NULL);
	free(file.text);
	return code;
}

void event_chain_add(struct event_chain *chain, const json_t *event)
{
	size_t length = 0;
	owned char *text = canonical_text(event, &length);
	owned unsigned char *both = text && is_there() ? malloc(HASH_OCTETS + length) : NULL;

	if (!both)
		return;
	memcpy(both, chain->hash, HASH_OCTETS);
	memcpy(both + HASH_OCTETS, text, length);
	if (sha256(both, HASH_OCTETS + length, chain->hash))
		chain->count++;
}

#else /* the program was built without the headers of GnuTLS */

enum exit_code signing_key_read(const char *path, struct signing_key **ret)
{
	(void)path, (void)ret;
	return refuse(EXIT_INCAPABLE, "--sign: this build has no GnuTLS; build it with its headers (libgnutls28-dev)");
}

void signing_key_free(struct signing_key *key)
{
	(void)key;
}

enum exit_code signing_sign(json_t *document, const struct signing_key *key)
{
	(void)document, (void)key;
	return EXIT_INCAPABLE;
}

void signing_prepare(const json_t *document)
{
	(void)document;
}

const char *signing_fault(const json_t *document)
{
	return json_object_get(document, MEMBER) ? "it cannot be checked: this build has no GnuTLS" : NULL;
}

enum exit_code signing_trust_read(const char *path, json_t **ret)
{
	(void)path, (void)ret;
	return refuse(EXIT_INCAPABLE, "--trust: this build has no GnuTLS; build it with its headers (libgnutls28-dev)");
}

void event_chain_add(struct event_chain *chain, const json_t *event)
{
	(void)chain, (void)event;
}
#endif
