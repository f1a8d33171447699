#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""tools/check_public finds what is wrong with a small library, and nothing where nothing is."""

import pathlib
import subprocess
import tempfile
import textwrap
import unittest

TOOL = pathlib.Path(__file__).resolve().parent.parent.parent / "tools/check_public"

HEADER = """
    #define SHOWN __attribute__((visibility("default")))
    namespace skerry::inline v1_native {
    namespace detail {
    void step();
    }
    class SHOWN thing {
      public:
        thing() = default;
        virtual ~thing();
        void work();
    };
    SHOWN int answer();
    template <class T> T twice(T x) { return x + x; }
    }
"""
SOURCE = """
    #include <skerry/a.hpp>
    namespace skerry::inline v1_native {
    void detail::step() {}
    thing::~thing() = default;
    void thing::work() { detail::step(); }
    int answer() { return 42; }
    }
"""
PROGRAM = "#include <skerry/a.hpp>\nint main() { skerry::thing t; t.work(); return skerry::twice(skerry::answer()); }\n"
ALONE = '[alone]\n"detail::step" = "a step of work()"\n'


class CheckPublic(unittest.TestCase):
    def check(self, header=HEADER, source=SOURCE, alone=ALONE, program=PROGRAM):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "include/skerry").mkdir(parents=True)
            (folder / "include/skerry/a.hpp").write_text(textwrap.dedent(header))
            (folder / "a.cpp").write_text(textwrap.dedent(source))
            (folder / "alone.toml").write_text(alone)
            (folder / "program.cpp").write_text(program)
            subprocess.run(["g++", "-std=c++20", "-shared", "-fPIC", "-fvisibility=hidden", f"-I{folder}/include",
                            f"{folder}/a.cpp", "-o", f"{folder}/liba.so"], check=True)
            ran = subprocess.run([str(TOOL), f"{folder}/liba.so", "--include", f"{folder}/include", "--alone",
                                  f"{folder}/alone.toml", "--program", f"{folder}/program.cpp", "--tags"],
                                 capture_output=True, text=True, check=False)
            return ran.returncode, ran.stdout + ran.stderr

    def fails_with(self, rule, **changed):
        status, text = self.check(**changed)
        self.assertEqual(status, 1, text)
        self.assertEqual([line for line in text.splitlines() if f" {rule}: " not in line], [], text)

    def test_agreement(self):
        status, text = self.check()
        self.assertEqual((status, text), (0, "check_public: 1 headers agree with liba.so\n"))

    def test_a_function_without_export(self):
        self.fails_with("not-exported", header=HEADER.replace("SHOWN int", "int"))

    def test_a_member_without_export(self):
        self.fails_with("not-exported", header=HEADER.replace("class SHOWN thing", "class thing"))

    def test_a_class_whose_tables_are_not_exported(self):
        hidden = HEADER.replace("class SHOWN thing", "class thing").replace("virtual ~thing", "SHOWN virtual ~thing")
        self.fails_with("not-exported", header=hidden.replace("void work", "SHOWN void work"))

    def test_inline_code_that_needs_what_the_library_keeps(self):
        self.fails_with("not-alone", header=HEADER.replace("class SHOWN", "inline void calls() { detail::step(); }\n    class SHOWN"),
                        program=PROGRAM.replace("t.work()", "t.work(); skerry::calls()"))

    def test_an_export_without_declaration(self):
        self.fails_with("not-declared", source=SOURCE.replace("int answer", "SHOWN void more() {} int answer"))

    def test_an_exported_class_without_declaration(self):
        self.fails_with("not-declared", source=SOURCE.replace(
            "int answer", "struct SHOWN more { virtual ~more(); }; more::~more() = default; int answer"))

    def test_an_entry_without_declaration(self):
        self.fails_with("stale", alone=ALONE + '"detail::gone" = "was a step"\n')

    def test_an_entry_that_is_exported(self):
        self.fails_with("stale", alone=ALONE + '"answer" = "nobody else asks"\n')

    def test_a_function_that_the_program_does_not_use(self):
        self.fails_with("not-used", program=PROGRAM.replace("skerry::answer()", "1"))

    def test_a_template_that_the_program_does_not_use(self):
        self.fails_with("not-used", program=PROGRAM.replace("skerry::twice(skerry::answer())", "skerry::answer()"))

    def test_a_function_that_ctags_does_not_find(self):
        self.fails_with("not-tagged", header=HEADER.replace("SHOWN int answer();", "SHOWN int\n/* as some write it */ answer();"))

    def test_a_class_that_doxygen_does_not_show(self):
        hidden = HEADER.replace("    class SHOWN", "    /// @cond\n    class SHOWN").replace("SHOWN int answer", "/// @endcond\n    SHOWN int answer")
        self.fails_with("not-documented", header=hidden)

    def test_no_library(self):
        ran = subprocess.run([str(TOOL), "/nowhere/liba.so"], capture_output=True, text=True, check=False)
        self.assertIn("there is no library /nowhere/liba.so", ran.stderr)


if __name__ == "__main__":
    unittest.main()
