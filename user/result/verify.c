/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result/verify.h"

#include <stdio.h>
#include <string.h>

#include "base/json_file.h"
#include "base/json_read.h"
#include "base/json_text.h"
#include "base/signing.h"
#include "config/stored.h"
#include "result/audit.h"
#include "result/others.h"
#include "result/vectors.h"

/* --- a document ----------------------------------------------------------------------------------------------------- */

/* Check a trial by itself: its ports and latency are beside it. */
static void audit_one_trial(struct audit *audit, const json_t *document)
{
	static const char *const beside[] = { "ports", "latency" };
	const json_t *trial = json_object_get(document, "trial_result");
	json_auto_t *whole = json_is_object(trial) ? json_copy((json_t *)trial) : NULL;

	if (!whole)
		return;
	for (size_t i = 0; i < COUNT(beside); i++)
		if (json_object_get(document, beside[i]))
			json_object_set(whole, beside[i], json_object_get(document, beside[i]));
	audit_trial(audit, MEMBER(NULL, "trial_result"), whole);
	audit_truth(audit, NULL, document, "tester_limited", read_truth(trial, "tester_limited"));
}

static const struct kind {
	const char *name;
	void (*audit)(struct audit *audit, const json_t *document);
} kinds[] = {
	{ "search", audit_search },   { "trial", audit_one_trial },   { "soak", audit_soak },
	{ "rfc2544", audit_rfc2544 }, { "y1564", audit_y1564 },       { "selftest", audit_selftest },
	{ "sweep", audit_sweep },     { "campaign", audit_campaign }, { "compare", audit_compare },
	{ "trend", audit_trend },
};

/* A signature that does not hold says so first: what follows may be a forgery. */
static void audit_signature(struct audit *audit, const json_t *document)
{
	const char *fault = signing_fault(document);

	if (fault)
		contradict(audit, MEMBER(NULL, "signature"), "%s", fault);
}

/* Return who performed the trials, also of a replay. */
static bool is_external(const json_t *document)
{
	return strcmp(read_text(document_measurer(document), "name"), "exec") == 0;
}

static unsigned int transmitters_of(const json_t *document)
{
	double factor = read_number(document, "aggregate_factor");

	return factor >= 1 && factor < 1e6 ? (unsigned int)factor : 0;
}

json_t *verify_document(const json_t *document)
{
	struct audit audit = { .document = document,
			       .contradictions = json_array(),
			       .external = is_external(document),
			       .transmitters = transmitters_of(document) };
	char kind[KIND_SIZE];

	audit_signature(&audit, document);
	document_kind(document, kind);
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (strcmp(kinds[i].name, kind) == 0)
			kinds[i].audit(&audit, document);
	audit_power(&audit, document);
	audit_cause(&audit, document);
	audit_changes(&audit, document);
	audit_requirements(&audit, document);
	return audit.contradictions;
}

enum exit_code verify_refuse(const char *path, const json_t *document)
{
	json_auto_t *contradictions = verify_document(document);
	size_t count = json_array_size(contradictions);
	const char *first = json_string_value(json_array_get(contradictions, 0));

	if (!count)
		return EXIT_DONE;
	return refuse(EXIT_USAGE_ERROR, "%s contradicts itself: %s%s", path, QUOTED(first),
		      count == 1 ? "" : TEXT_OF(96, " ('xdp-mlr verify' shows %zu more)", count - 1));
}

/* --- files ---------------------------------------------------------------------------------------------------------- */

/* Show what contradicts, a line each. What a document says may hold control characters. */
static void show(const char *path, const json_t *contradictions)
{
	json_each (sentence, contradictions)
		printf("%s%s\n", path, QUOTED(json_string_value(sentence)));
}

static json_t *verify_csit(const json_t *document)
{
	struct audit audit = { .document = document, .contradictions = json_array() };

	others_audit_csit(&audit, document);
	return audit.contradictions;
}

/* A result of ours, or of another program. *ret has what contradicts, *ret_document the result if it is ours. */
static enum exit_code verify_any(const char *path, json_t **ret_document, json_t **ret)
{
	size_t length = strlen(path);
	bool is_csv = length > 4 && strcmp(path + length - 4, ".csv") == 0;
	json_auto_t *other = NULL, *search = NULL, *document = NULL;
	enum exit_code code = is_csv ? others_csv(path, &search) : stored_or_other(path, &document, &other);

	if (code == EXIT_DONE && other)
		search = others_search(other);
	if (code != EXIT_DONE)
		return code;
	if (!search && !document && !others_is_csit(other))
		return refuse(EXIT_USAGE_ERROR,
			      "%s is no result of xdp-mlr, nor trials with goals, nor a result of CSIT (docs/reference/"
			      "schemas.md has the forms)",
			      path);
	*ret = search || document ? verify_document(search ? search : document) : verify_csit(other);
	*ret_document = json_incref(document);
	return EXIT_DONE;
}

/* All that stands before a document, if anything does, must be the events that were signed with it. */
static void verify_events(const char *path, const json_t *signature, json_t *contradictions)
{
	json_auto_t *found = NULL;
	struct event_chain chain = { 0 };
	struct json_file file;
	json_t *event;

	if (json_file_open(path, &file))
		return;
	while ((event = json_file_next(&file)) && !json_object_get(event, "schema")) {
		event_chain_add(&chain, event);
		json_decref(event);
	}
	json_decref(event);
	json_file_close(&file);
	found = event_chain_json(&chain);
	if (chain.count && !json_equal(found, json_object_get(signature, "events")))
		append_sentence(contradictions,
				": /signature/events: the %lld events of the file are not those that were signed",
				(long long)chain.count);
}

/* Report who signed a document, and whether that is one of those who may. */
static void verify_signer(const char *path, const json_t *document, const json_t *trusted, json_t *contradictions)
{
	const json_t *signature = json_object_get(document, "signature");
	const char *fingerprint = read_text(signature, "fingerprint");

	if (signature && !signing_fault(document)) {
		verify_events(path, signature, contradictions);
		printf("%s: signed by %.64s%s\n", path, fingerprint,
		       !trusted                                ? ""
		       : json_object_get(trusted, fingerprint) ? ", which is trusted"
							       : "");
		if (trusted && !json_object_get(trusted, fingerprint))
			append_sentence(contradictions, ": /signature: --trust does not have the key of its signer");
	}
	if (!signature && trusted)
		append_sentence(contradictions, ": it is not signed");
}

static enum exit_code verify_file(const char *path, const json_t *trusted)
{
	json_auto_t *contradictions = NULL, *document = NULL;
	enum exit_code code = verify_any(path, &document, &contradictions);

	if (code != EXIT_DONE)
		return code;
	verify_signer(path, document, trusted, contradictions);
	show(path, contradictions);
	return json_array_size(contradictions) ? EXIT_UNMET : EXIT_DONE;
}

enum exit_code verify_files(const struct config *config, const json_t *trusted)
{
	enum exit_code worst = EXIT_DONE;

	if (config->answers_vectors || config->vectors_command)
		return config->answers_vectors ? vectors_answer(config) : vectors_ask(config);
	for (size_t i = 0; i < config->file_count; i++) {
		enum exit_code code = verify_file(config->all_files[i], trusted);

		worst = code > worst ? code : worst;
	}
	return worst;
}
