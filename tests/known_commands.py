"""Command lines that people mistype or attack with, and whether each must be refused.

A case is a pair: the words, and whether the command may begin to work on them.
"""

import itertools
import random

HUGE = "9" * 400
NO_WHOLE = ("", "nan", "inf", "-1", "1.5", "abc", "[1]", "{}", "1,2", "true", "٣", HUGE, "1e5", " ")
NO_NUMBER = ("", "nan", "inf", "-inf", "abc", "[1]", "{}", "1,2", "true", "٣", "1e999", "NaN")
NO_FLAG = ("", "maybe", "0", "1", "null", "[true]", "yes", "True", "nan")
NO_CHOICE = ("", "foo", "null", "1", "[1]", "{}", "true", "ACT")
NO_LIST = ("3", "abc", "[0]", "[3,2]", '["a"]', "[1.5]", "null", "{}", "[[1]]", "true")
PARITY = ("train", "act_parity")
PAPER = ("train", "neural_gpu_addition_paper")
GATES = ("train", "neural_gpu_sort_bits")
HAM = ("train", "ham_sort")
STACK = ("train", "neural_gpu_addition_stack_rnn")
ATTENTION = ("train", "ham_sort_attention")

# A command, settings of it, and values that none of them can have.
WRONG_SETTINGS = (
    (PARITY, ("units", "max_ponder", "batch_size", "steps", "bits"), (*NO_WHOLE, "0", "null")),
    (PARITY, ("chunk", "validate_every", "stages.1.steps"), ("0", "abc", "1.5", "null", HUGE)),
    (PARITY, ("seed",), ("-1", "abc", "null", "4294967296", "1.5")),
    (PARITY, ("learning_rate", "clipnorm", "input_gain"), (*NO_NUMBER, "0", "-1")),
    (PARITY, ("stages.1.learning_rate",), ("abc", "null", "0", "-0.1", "NaN", "Infinity")),
    (PARITY, ("time_penalty", "stages.1.time_penalty"), (*NO_NUMBER, "-1", "null")),
    (PARITY, ("epsilon", "hold"), ("1", "-0.1", "abc", "NaN", "null", "[0.1]")),
    (PARITY, ("halting_bias",), ("1e39", "abc", "NaN", "null", "Infinity", "true")),
    (PARITY, ("target_ponder",), ("11", "0.5", "abc", "NaN", "[5]", "-1", HUGE)),
    (PARITY, ("schedule", "halting", "placement", "stages.0.schedule"), NO_CHOICE),
    (PARITY, ("fixed_steps",), ("0", "5", "abc", "1.5", "-1")),
    (PARITY, ("curriculum", "stages.0.curriculum"), ("foo", "1", "{}", "[]", '{"start":2}')),
    (PARITY, ("bins",), (*NO_LIST, "[2,4]")),
    (PARITY, ("parameters",), ("foo", "1", "[]", "null", '{"foo":1}', '{"hard_share":2}')),
    (PARITY, ("stages.1.parameters",), ('{"hard_share":"a"}', '{"positions":65}', "foo")),
    (PARITY, ("unit", "stages", "stages.9.steps", "stages.٣.steps", "stages.0.", "__class__"), "1"),
    (("train", "act_logic"), ("gates", "vectors"), ("11", "0", "-1", "abc", "1.5", "null", HUGE)),
    (("train", "act_logic"), ("same_length",), NO_FLAG),
    (("train", "act_logic"), ("hard_share",), ("2", "-0.1", "abc", "NaN", "null", "[0]")),
    (("train", "act_addition"), ("digits", "numbers"), ("0", "6", "abc", "-1", "2.5", "null")),
    (("train", "act_addition"), ("first_target",), NO_FLAG),
    (("train", "act_sort"), ("numbers", "longest_memory"), ("1", "0", "abc", "null", "-3")),
    (("train", "act_enwik8_small"), ("length", "size", "embedding"), ("0", "abc", "1.5", "-1")),
    (PAPER, ("maps", "width", "num_layers", "relaxation"), ("0", "abc", "1.5", "null", HUGE)),
    (PAPER, ("kernel_size",), ("3", "[3]", "[2,2]", "[3,0]", "abc", "[3,3,3]", "null")),
    (PAPER, ("dropout",), ("1", "-0.1", "abc", "NaN", "null")),
    (PAPER, ("dropout_schedule", "optimizer"), NO_CHOICE),
    (PAPER, ("initial_scale", "relaxation_factor"), ("0", "-1", "abc", "NaN", "null", "true")),
    (PAPER, ("bits", "min_bits", "longer", "longer_at_first"), ("0", "abc", "1.5", HUGE, "-1")),
    (PAPER, ("short_share", "gradient_noise"), ("-1", "abc", "NaN", "null")),
    (PAPER, ("bins", "stages.0.bins"), NO_LIST),
    (GATES, ("length", "min_length"), ("0", "abc", "99999999999", "-5", "1.5")),
    (GATES, ("diagonal",), NO_FLAG),
    (GATES, ("gate_sharpness", "update_bias"), ("abc", "NaN", "Infinity", "null")),
    (HAM, ("hidden_units", "depth", "accesses_per_output", "samples"), ("0", "abc", "1.5", "null")),
    (HAM, ("controller_units",), ("0", "abc", "null", "true")),
    (HAM, ("reward",), ("foo", "1", "[]", "{}", '{"foo":1}', '{"bits":-1}', '{"bits":"a"}')),
    (HAM, ("max_outputs",), ("1", "[1]", "[0,0]", "[1,0]", "[-1,1]", "abc", "[1,1.5]")),
    (HAM, ("discount", "entropy_decay", "size_factor"), ("2", "-1", "abc", "NaN", "null")),
    (HAM, ("baseline",), ("foo", "1", "true")),
    (HAM, ("samples",), ("1",)),
    (HAM, ("soft",), NO_FLAG),
    (STACK, ("num_stacks", "read_depth", "stack_depth"), ("0", "abc", "1.5", "-1")),
    (STACK, ("stack_depth",), ("1",)),
    (STACK, ("kernel_scale", "action_sharpness"), ("0", "-1", "abc", "NaN", "null")),
    (STACK, ("recurrent", "reverse_inputs"), NO_FLAG),
    (ATTENTION, ("attention",), NO_FLAG),
    (ATTENTION, ("beta_2",), ("1", "0", "abc", "null")),
    (("train", "ham_merge"), ("length",), ("301", "0", "abc")),
)
RIGHT_SETTINGS = (
    (PARITY, "units=16", "units=16"),
    (PARITY, "clipnorm=null", "stages.0.curriculum=null"),
    (PARITY, "bits=16", "target_ponder=10"),
    (PARITY, "time_penalty=0", "stages.1.parameters={}"),
    (("train", "act_logic"), "gates=2", "vectors=2"),
    (("train", "act_logic"), "same_length=false", "hard_share=1"),
    (PAPER, "kernel_size=[3,1]", "stages.0.bins=[1,2,4]"),
    (HAM, "reward=vector", "averaging=null"),
    (HAM, 'reward={"bits":1}', "baseline=learned"),
)
# A command, an option of it, and values that it cannot have.
WRONG_OPTIONS = (
    (PARITY, ("--steps-scale",), (*NO_NUMBER, "0", "-1", "1e-9x", "1e300")),
    (PARITY, ("--variant",), ("", "none", "fixed-0", "fixed-", "fixed-٣", "fixed-" + HUGE, "ACT")),
    (PARITY, ("--variant",), ("fixed-1.5", "fixed-05", "plain ", "fixed--1")),
    (PARITY, ("--seed",), (*NO_WHOLE, "4294967296")),
    (PARITY, ("--keep-every", "--examples"), (*NO_WHOLE, "0")),
    (PARITY, ("--backend", "--jit"), ("", "foo", "numpy", "1")),
    (("train", "neural_gpu_copy"), ("--seeds",), (*NO_WHOLE, "0")),
    (PARITY, ("--seeds",), ("2",)),
    (PARITY, ("--set",), ("", "=", "units", "=3")),
    (("tune", "act_logic"), ("--trials", "--seeds", "--examples"), (*NO_WHOLE, "0")),
    (("tune", "act_logic"), ("--seed",), NO_WHOLE),
    (("tune", "act_logic"), ("--objective",), ("", "error=nan", "error=inf", "error=-1", "foo")),
    (("tune", "act_logic"), ("--objective",), ("error=0", "error=a", "error,error", "longer")),
    (("tune", "neural_gpu_copy"), ("--objective",), ("ponder", "error=1,ponder=1", "=1", ",")),
    (("tune", "act_logic"), ("--tau",), ("", "nan", "NaN", "Infinity", "-1", "1:", "2:1", "a:b")),
    (("tune", "act_logic"), ("--tau",), ("0.1,0.1", "1:1", "NaN:1", "[1]", ",", "0:Infinity")),
    (("tune", "act_logic"), ("--over",), ("", "=1", "foo=1", "units=abc", "units=1.5", "units=")),
    (("tune", "act_logic"), ("--over",), ("units=1.5:3", "halting=0:1", "units=8,8", "gates=11")),
    (("tune", "act_logic"), ("--over",), ("batch_size=1,99999999999", "units=0:5", "seed=-1")),
    (("tune", "act_logic"), ("--method",), ("", "foo", "Random")),
    (("tune", "neural_gpu_copy"), ("--tau",), ("0.1",)),
    (("study", "act_logic"), ("--tau", "--sampled"), ("", "NaN", "Infinity", "-1", "a", "1:2")),
    (("study", "act_logic"), ("--fixed",), ("0", "1.5", "-1", "a", HUGE, "2,2")),
    (("study", "act_logic"), ("--target",), ("0.5", "26", "nan", "-1", "x")),
    (("study", "act_logic"), ("--seeds", "--examples"), (*NO_WHOLE, "0")),
    (("study", "act_logic"), ("--steps-scale",), ("0", "inf", "nan", "-1", "abc")),
    (("study", "act_logic"), ("--set",), ("gates=11", "units=abc", "halting=act", "foo=1")),
    (("tune", "act_logic"), ("--set",), ("gates=11", "units=abc", "steps=1.5", "bins=3", "foo=1")),
    (("evaluate", "act_parity"), ("--examples",), (*NO_WHOLE, "0")),
    (("evaluate", "act_parity"), ("--seed", "--max-ponder"), NO_WHOLE),
    (("evaluate", "act_parity"), ("--max-ponder",), ("0", "99999999999")),
    (("evaluate", "act_parity"), ("--epsilon",), (*NO_NUMBER, "1", "-0.1")),
    (("evaluate", "act_parity"), ("--run",), ("", "nowhere")),
    (("evaluate", "act_parity"), ("--split",), ("", "train", "foo")),
    (("evaluate", "act_parity"), ("--bits", "--length", "--leaves"), ("4", "0", "abc")),
    (("evaluate", "neural_gpu_addition"), ("--bits",), (*NO_WHOLE, "0", "99999999999")),
    (("evaluate", "neural_gpu_addition"), ("--probe",), ("", "foo", "1")),
    (("evaluate", "neural_gpu_copy"), ("--length",), ("0", "-1", "7:3", "1:2:3", "", "abc", "1.5")),
    (("evaluate", "neural_gpu_copy"), ("--length",), ("99999999999", ":", "1:", "0:3", "٣")),
    (("evaluate", "ham_sort"), ("--leaves",), ("0", "1", "3", "-2", "abc", "99999999999")),
    (("plot", "act_logic"), ("--examples",), ("0", "-1", "abc", "1.5", "")),
    (("plot", "act_logic"), ("--out",), ("", "a.gif", "a.txt", "noextension", "/dev/null/a.png")),
    (("segment", "act_enwik8_small", "a text"), ("--height",), NO_NUMBER),
    (("segment", "act_enwik8_small", "a text"), ("--by",), ("", "foo", "1")),
    (("demo",), ("--examples",), (*NO_WHOLE, "0")),
    (("verify", "act_parity"), ("--examples", "--seconds"), ("0", "-1", "abc", "nan", "")),
    (("verify", "act_parity"), ("--entries",), ("", "nowhere")),
    (("measure", "RUN"), ("--examples", "--long-examples"), ("0", "-1", "abc", "1.5", "")),
    (("measure", "RUN"), ("--lengths",), ("0", "abc", "1.5", "")),
    (("export", "RUN"), ("--examples", "--long-examples"), ("0", "-1", "abc", "1.5", "")),
    (("export", "RUN"), ("--others", "--ensemble"), ("", "nowhere")),
    (("export", "RUN"), ("--into",), ("", "/dev/null/x")),
)
# Whole command lines, the first of each with what is wrong.
WRONG = (
    (),
    ("",),
    ("trian",),
    ("--foo",),
    ("train",),
    ("train", ""),
    ("train", "act_parety"),
    ("train", "../act_parity"),
    ("train", "act_parity", "act_logic"),
    ("train", "--resume"),
    ("train", "act_parity", "--out", ""),
    ("train", "act_parity", "--out", "/dev/null"),
    ("train", "act_parity", "--out", "/dev/null/x"),
    ("train", "act_parity", "--out", "x" * 5000),
    ("train", "act_parity", "--resume", "--out", "nowhere"),
    ("train", "act_parity", "--resume", "--set", "units=abc"),
    ("train", "act_parity", "--seed", "1", "--seed", "2"),
    ("train", "act_parity", "--seeds", "2", "--seed", "2"),
    ("train", "act_parity", "--exmaples", "5"),
    ("train", "act_parity", "--exam", "5"),
    ("train", "act_parity", "--set", "units=8", "--set", "units=16"),
    ("train", "act_parity", "--set", "max_ponder=5", "--set", "target_ponder=6"),
    ("train", "act_parity", "--set", "batch_size=1000000", "--set", "bits=100000"),
    ("train", "act_parity", "--variant", "plain", "--set", "target_ponder=5"),
    ("train", "neural_gpu_copy", "--variant", "plain"),
    ("train", "act_addition", "--set", "numbers=1"),
    ("tune", "act_logic", "--over", "units=8", "--over", "units=16"),
    ("tune", "act_logic", "--tau", "0.1", "--over", "tau=0.2"),
    ("tune", "act_logic", "--tau", "0.1", "--over", "time_penalty=0.2"),
    ("tune", "act_logic", "--set", "units=8", "--over", "units=16"),
    ("tune", "act_logic", "--out", "/dev/null"),
    ("tune", "nothing"),
    ("study", "neural_gpu_copy"),
    ("study", "act_enwik8_small"),
    ("study", "act_logic", "--full", "--tau", "0.1"),
    ("study", "act_logic", "--full", "--seeds", "2"),
    ("study", "act_logic", "--set", "max_ponder=4"),
    ("evaluate", "nothing"),
    ("evaluate", ""),
    ("evaluate", "act_parity", "--run", "/dev/null"),
    ("predict",),
    ("predict", "act_sort"),
    ("predict", "act_sort", ""),
    ("predict", "act_sort", "--foo"),
    ("predict", "act_sort", "-1.2"),
    ("predict", "act_sort", "nan 1"),
    ("predict", "act_parity", ""),
    ("predict", "act_parity", "000"),
    ("predict", "act_parity", "+" * 65),
    ("predict", "act_logic", "1 0 FOO"),
    ("predict", "act_addition", "1+٣"),
    ("predict", "act_addition", "123456+1"),
    ("predict", "neural_gpu_addition", "1++1"),
    ("predict", "neural_gpu_addition", "-1+1"),
    ("predict", "ham_stack", "PUSH 99"),
    ("predict", "ham_sort", "3:99"),
    ("predict", "act_enwik8_small", ""),
    ("predict", "act_enwik8_small", "\udcff"),
    ("plot", "act_logic", ""),
    ("plot", "act_logic", "1 0 AND", "--input", "1 0 OR"),
    ("plot", "act_enwik8_small"),
    ("plot", "act_enwik8_small", ""),
    ("plot", "act_enwik8_small", "x" * 541),
    ("plot", "neural_gpu_addition"),
    ("plot", "neural_gpu_addition", "1" * 201 + "+1"),
    ("plot", "neural_gpu_addition", "1+1", "--out", "a.txt"),
    ("plot", "neural_gpu_addition_lstm", "1+1"),
    ("plot", "ham_sort_lstm", "1:1"),
    ("plot", "dham_sort", "1:1"),
    ("plot", "ham_sort"),
    ("plot", "ham_sort", " ".join(["1:1"] * 33)),
    ("plot", "ham_sort", "1:1", "--out", "a.gif"),
    ("plot", "act_logic", "--out", "."),
    ("train", "act_parity", "\x1b[31mred"),
    ("demo", "--\x1b[31m"),
    ("segment", "act_parity", "text"),
    ("segment", "act_enwik8_small", ""),
    ("segment", "act_enwik8_small"),
    ("measure", "nowhere"),
    ("measure", ""),
    ("measure", "/dev/null"),
    ("export", "nowhere"),
    ("demo", "--out", "/dev/null"),
    ("demo", "--out", ""),
    ("verify", "nothing"),
)
RIGHT = (
    ("train", "act_parity"),
    ("train", "act_parity", "--out", "new/folder", "--seed", "0"),
    ("train", "--steps-scale", "0.1", "act_parity", "--variant", "fixed-4"),
    ("train", "neural_gpu_copy", "--seeds", "2"),
    ("tune", "act_logic", "--tau", "1e-4:1e-1", "--trials", "3"),
    ("tune", "act_logic", "--over", "units=8,16", "--objective", "error=1,ponder=0.01"),
    ("tune", "neural_gpu_copy", "--over", "maps=16,24", "--objective", "longer_symbol_error"),
    ("study", "act_logic", "--tau", "0.1,0.01", "--target", "none", "--fixed", "none"),
    ("study", "act_logic", "--set", "gates=2", "--set", "vectors=2"),
    ("evaluate", "act_parity", "--max-ponder", "3", "--epsilon", "0.5"),
    ("evaluate", "neural_gpu_addition", "--bits", "30", "--probe", "ones"),
    ("evaluate", "ham_sort", "--length", "33:64", "--leaves", "64"),
    ("predict", "act_parity", "-+0"),
    ("predict", "act_parity", "--json", "--+0"),
    ("predict", "act_parity", "-+0", "--json"),
    ("predict", "act_parity", "--", "-+0"),
    ("predict", "act_sort", "-1.2,0.3"),
    ("predict", "act_sort", "-1.2 -0.3"),
    ("predict", "--json", "act_enwik8_small", "--by the way"),
    ("plot", "act_parity", "--input", "-+0", "--out", "a.png"),
    ("plot", "act_parity", "--out", "a.png", "-+0"),
    ("plot", "act_logic", "--examples", "5", "--out", "a.svg"),
    ("segment", "act_enwik8_small", "-a text", "--height", "-1"),
    ("demo", "--examples", "5"),
)


def cases():
    """All cases: the words, and whether the command may begin to work."""
    found = [
        ((*command, "--set", f"{key}={value}"), False)
        for command, keys, values in WRONG_SETTINGS
        for key, value in itertools.product(keys, values)
    ]
    found += [
        ((*command, f"{option}={value}"), False)
        for command, options, values in WRONG_OPTIONS
        for option, value in itertools.product(options, values)
    ]
    found += [(words, False) for words in WRONG]
    for command, *settings in RIGHT_SETTINGS:
        found.append(((*command, *(f"--set={one}" for one in dict.fromkeys(settings))), True))
    return found + [(words, True) for words in RIGHT]


def sample(count, seed=0):
    """So many of the cases, the same each time."""
    return random.Random(seed).sample(cases(), count)
