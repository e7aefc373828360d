# SPDX-License-Identifier: GPL-2.0-or-later
# A sheet of user/render as the text of C that stands in a page: no comments, no indentation, and a line end for each empty line.
/^\/\*/ { comment = 1 }
comment { if (/\*\/$/) comment = 0; next }
/^$/ { print "\"\\n\""; next }
{
  sub(/^\t+/, "")
  gsub(/\\/, "\\\\"); gsub(/"/, "\\\"")
  printf "\"%s\"\n", $0
}
