/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --template: pcap and pcapng files. What can be used makes a frame. */
#include "config/frame_file.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mlr_frame_template template;
	struct frame_file *file;

	if (frame_file_read(fuzz_file(data, size), &file) != EXIT_DONE)
		return 0;
	file->spec.size_octets = file->size_octets;
	mlr_frame_template_init(&file->spec, &template);
	frame_file_free(file);
	return 0;
}
