/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a reader hands back that was taken over: steps of a value, and a frame file. Whatever they are, nothing breaks. */
#include "base/text_stream.h"
#include "config/frame_file.h"
#include "fuzz.h"

/* A value of steps has an end: it can be written again, and is the same then. */
static void check_value(json_t *value)
{
	char *steps = NULL;
	size_t length;
	FILE *stream = text_stream_open(&steps, &length);
	json_t *again;

	if (!stream)
		abort();
	flat_write(stream, value);
	fclose(stream);
	stream = fmemopen(steps, length, "r");
	again = stream ? flat_read(stream, 1u << 30, NULL) : NULL;
	if (!again || !json_equal(value, again))
		abort();
	fclose(stream);
	free(steps);
	json_decref(again);
}

static void read_steps(const uint8_t *octets, size_t size)
{
	struct flat_lines lines, *const wanted[] = { NULL, &lines };

	for (size_t i = 0; i < 2; i++) {
		FILE *stream = fmemopen((void *)octets, size, "r");
		json_t *value = stream ? flat_read(stream, 1u << 20, wanted[i]) : NULL;

		/* aliases of aliases are many values once each stands for itself */
		if (value && (!wanted[i] || lines.value_count < 24))
			check_value(value);
		json_decref(value);
		if (stream)
			fclose(stream);
	}
	flat_lines_free(&lines);
}

/* Steps that are nearly all good: three octets each. */
static void make_steps(const uint8_t *data, size_t size)
{
	static const char text[8] = "xxxxxxx";
	char *steps = NULL;
	size_t length;
	FILE *stream = text_stream_open(&steps, &length);

	if (!stream)
		abort();
	for (; size >= 3; data += 3, size -= 3) {
		const uint32_t step = data[0] % 8, type = data[1] % 9;
		const uint64_t number = data[2] % (step == 1 || step == 5 ? 4 : 32);

		fwrite(&step, sizeof(step), 1, stream);
		fwrite(&type, sizeof(type), 1, stream);
		fwrite(&number, sizeof(number), 1, stream);
		if (step == 1 || step == 5)
			fwrite(text, 1, number, stream);
	}
	fclose(stream);
	if (length)
		read_steps((const uint8_t *)steps, length);
	free(steps);
}

static void unpack_frame(const uint8_t *data, size_t size)
{
	struct frame_file file = { .spec = { .ip_version = 4 } }, unpacked;
	size_t offset = size ? data[0] * 4u % sizeof(file) : 0, room = sizeof(file) - offset;
	struct mlr_frame_template template;
	json_t *packed;

	memcpy((char *)&file + offset, data, size < room ? size : room);
	file.payload = (uint8_t *)data;
	file.spec.payload_octets = (unsigned int)size;
	packed = frame_file_pack(&file);
	if (frame_file_unpack(packed, &unpacked)) {
		for (unsigned int octets = 64; octets <= 1518; octets += 1454) {
			unpacked.spec.size_octets = octets;
			unpacked.spec.way_back = octets > 64;
			mlr_frame_template_init(&unpacked.spec, &template);
		}
		free(unpacked.payload);
	}
	json_decref(packed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 2)
		return 0;
	if (data[0] % 4 == 0)
		read_steps(data + 1, size - 1);
	else if (data[0] % 4 == 1)
		unpack_frame(data + 1, size - 1);
	else
		make_steps(data + 1, size - 1);
	return 0;
}
