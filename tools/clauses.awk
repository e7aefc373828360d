# SPDX-License-Identifier: GPL-2.0-or-later
# docs/clauses.tsv as rows of C, for the table in user/result/checklist.c.
BEGIN { FS = "\t" }
/^#/ || $1 == "document" { next }
{
  gsub(/\\/, "\\\\"); gsub(/"/, "\\\"")
  kinds = toupper($4); gsub(/ /, " | ", kinds)
  where = $9; gsub(/ /, "\", \"", where)
  printf "{ \"%s\", \"%s\", \"%s\", \"%s\", \"%s\", %s, judge_%s, { \"%s\" } },\n", $1, $2, $3, $5, $7, kinds, $6, where
}
