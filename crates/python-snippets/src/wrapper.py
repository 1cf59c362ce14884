# One snippet from standard input, one reply to standard output. The arguments are the folders of modules.
import sys

sys.path[:], sys.argv[1:] = sys.argv[1:], []
import ast, json, os, signal

# Ctrl-C ends the program that waits, not the snippet: it would count as wrong.
signal.signal(signal.SIGINT, signal.SIG_IGN)

# numpy would start threads otherwise, and none may be started.
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"


class Timeout(BaseException):
    pass


class Nowhere:
    def write(self, text):
        return len(text)

    def flush(self):
        pass


# The end of what the snippet prints.
class Printed(Nowhere):
    text = ""
    counts = True

    def write(self, text):
        # The end and not the beginning: a program prints its answer last.
        self.text = (self.text + text)[-16384:]
        # Where the print counts, a last statement that writes has no value of its own.
        return len(text) if self.counts else None


def late(*_):
    raise Timeout()


def plain(value, depth=0):
    if hasattr(value, "item") and not isinstance(value, (list, tuple, dict)):
        try:
            value = value.item()
        except Exception:
            pass
    if value is None:
        return "none"
    if isinstance(value, bool):
        return {"bool": value}
    if isinstance(value, int):
        # The reader has whole numbers of 128 bits and takes larger ones as text.
        return {"int": value} if -(2**127) <= value < 2**127 else {"big": str(value)}
    if isinstance(value, float):
        # As text, because JSON has no NaN and no infinity.
        return {"float": repr(float(value))}
    if isinstance(value, str):
        return {"text": value}
    if depth < 50 and isinstance(value, (list, tuple)):
        return {"list": [plain(part, depth + 1) for part in value]}
    if depth < 50 and isinstance(value, dict):
        return {"map": [[str(key), plain(part, depth + 1)] for key, part in value.items()]}
    if hasattr(type(value), "__float__"):
        return {"float": repr(float(value))}
    return {"other": type(value).__name__}


# The function that a program defines and never calls, if its last statement defines a function.
def only_defined(body):
    if not isinstance(body[-1], ast.FunctionDef):
        return None

    def needs(arguments):
        few = len(arguments.posonlyargs) + len(arguments.args) > len(arguments.defaults)
        return few or None in arguments.kw_defaults

    names = [part.name for part in body if isinstance(part, ast.FunctionDef) and not needs(part.args)]
    known = [name for name in ("solution", "solve", "main", "answer") if name in names]
    return (known + [name for name in names[-1:] if name == body[-1].name] + [None])[0]


# Removes imports at the top whose names the program never uses: the module may be absent here.
def drop_unused_imports(block):
    used = {node.id for node in ast.walk(block) if isinstance(node, ast.Name)}
    for node in list(block.body):
        if isinstance(node, ast.Import):
            node.names = [part for part in node.names if (part.asname or part.name.split(".")[0]) in used]
            if not node.names:
                block.body.remove(node)


# The value of a program whose last statement has none and that prints nothing: what it names as its answer, else what
# it assigned last.
def assigned(body, names):
    stored = [
        node
        for statement in body
        if not isinstance(statement, (ast.FunctionDef, ast.ClassDef))
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]
    stored.sort(key=lambda node: (node.lineno, node.col_offset))
    last = [node.id for node in stored[-1:]]
    for name in ["final_answer", "answer", "ans", "result"] + last:
        if not callable(names.get(name)) and names.get(name) is not None:
            return plain(names[name])
    return "none"


# Whether a part of a program asks for the time of day: its value would be another one tomorrow.
def asks_the_clock(node):
    if not isinstance(node, ast.Attribute):
        return False
    of_module = isinstance(node.value, ast.Name) and node.value.id == "time"
    return node.attr in ("now", "today", "utcnow") or of_module and node.attr in ("time", "time_ns")


def run(snippet):
    names = {"__name__": "__main__"}
    if snippet.get("df") is not None:
        names["df"] = snippet["df"]
    block = ast.parse(snippet["code"])
    if snippet.get("printed"):
        sys.stdout.counts = False
        names["final_answer"] = lambda answer: answer
        drop_unused_imports(block)
    if not block.body:
        return {"failed": {"reason": "there is no statement"}}
    for node in ast.walk(block):
        if asks_the_clock(node):
            return {"unsupported": {"what": "%s (there is no clock)" % node.attr}}
    if "random" in snippet["code"]:
        # Without a seed of its own, a program draws the same numbers each time.
        import random

        random.seed(0)
    value = getattr(block.body[-1], "value", None)
    if isinstance(value, ast.expr):
        block.body.pop()
    elif not snippet.get("printed"):
        return {"failed": {"reason": "the last statement has no value"}}
    else:
        name = only_defined(block.body)
        value = ast.parse(name + "()" if name else "None", mode="eval").body
    exec(compile(block, "<snippet>", "exec"), names)
    value = eval(compile(ast.Expression(value), "<snippet>", "eval"), names)
    if not snippet.get("printed"):
        return {"value": plain(value)}
    # A function that stands alone at the end.
    value = plain(value() if isinstance(value, type(late)) else value)
    if value == "none" and not sys.stdout.text.strip():
        value = assigned(block.body, names)
    return {"value": {"text": sys.stdout.text} if value == "none" else value}


# The time of the snippet begins now.
sys.stdout.write("\n")
sys.stdout.flush()
snippet = json.loads(sys.stdin.readline())
answers, sys.stdout, sys.stderr = sys.stdout, Printed(), Nowhere()
timed = hasattr(signal, "setitimer")  # Windows has none: there the program that waits ends this process.
if timed:
    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, snippet["time_limit_ms"] / 1000)
try:
    reply = run(snippet)
except Timeout:
    reply = {"failed": {"reason": "timeout"}}
except MemoryError:
    reply = {"failed": {"reason": "memory"}}
except RecursionError:
    reply = {"failed": {"reason": "recursion"}}
except (ModuleNotFoundError, ImportError) as error:
    reply = {"unsupported": {"what": "import %s" % (error.name or "")}}
except BaseException as error:
    reply = {"failed": {"reason": ("%s: %s" % (type(error).__name__, error))[:60]}}
if timed:
    signal.setitimer(signal.ITIMER_REAL, 0)
text = json.dumps(reply)
if len(text) > 2000000:
    text = json.dumps({"failed": {"reason": "the value is too large"}})
answers.write(text + "\n")
answers.flush()
# At once: what the snippet left to be done at the end of the process would be done outside of its time.
os._exit(0)
