// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace cli {

/// What the command's exit status means; `skerry --help` prints the same list.
enum exit_code : int {
    exit_ok = 0,           ///< done, and every check passed
    exit_check_failed = 1, ///< a program's result is wrong, or its two variants disagree
    exit_usage = 2,        ///< the command line makes no sense
    exit_bad_input = 3,    ///< an input is missing or malformed
    exit_failure = 4,      ///< anything else, such as too little memory
};

/// Thrown when another process has said already what was wrong: the command ends with its status and says no more.
struct already_said {
    exit_code code;
};

inline constexpr const char* exit_code_help = "Exit status:\n"
                                              "  0  done, and every check passed\n"
                                              "  1  a program's result is wrong, or its two variants disagree\n"
                                              "  2  the command line makes no sense\n"
                                              "  3  an input is missing or malformed\n"
                                              "  4  anything else, such as too little memory\n";

} // namespace cli
