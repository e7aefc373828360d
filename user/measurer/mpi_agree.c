/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "measurer/mpi_agree.h"

enum exit_code mpi_agree(enum exit_code code, uint64_t own, uint64_t *ret_most)
{
	struct {
		enum exit_code code;
		uint64_t number;
	} mine = { .code = code, .number = own }, all[JOB_RANKS_MAX];
	uint64_t most = 0;

	code = job_share(&mine, sizeof(mine), all);
	for (unsigned int rank = 0; rank < job_size() && !code; rank++) {
		code = all[rank].code;
		if (all[rank].number > most)
			most = all[rank].number;
	}
	if (!code && ret_most)
		*ret_most = most;
	return code;
}

bool mpi_port_is_here(const struct measurer_mpi *mpi, unsigned int port, unsigned int *ret_index)
{
	for (unsigned int i = 0; i < mpi->xdp.port_count; i++) {
		if (mpi->xdp.ends[i].number == port) {
			*ret_index = i;
			return true;
		}
	}
	return false;
}
