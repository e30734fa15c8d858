"""A cluster on this machine: a master and two workers of Spark standalone, as processes of their own."""

import atexit
import ctypes
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import linsep
import psutil
import pyspark

WORKERS = 2
# Seconds; a machine that is busy with a build takes its time.
PATIENCE = 300

LOGGING = """
rootLogger.level = warn
rootLogger.appenderRef.stderr.ref = stderr
appender.stderr.type = Console
appender.stderr.name = stderr
appender.stderr.target = SYSTEM_ERR
appender.stderr.layout.type = PatternLayout
appender.stderr.layout.pattern = %d{HH:mm:ss} %p %c{1}: %m%n%ex
# The master says here which port it was given, and which workers it knows.
logger.deploy.name = org.apache.spark.deploy
logger.deploy.level = info
"""
# The driver's log is seen beside the tests, which fail tasks on purpose.
DRIVER_LOGGING = LOGGING.replace("rootLogger.level = warn", "rootLogger.level = off").replace(
    "info", "off"
)


class Cluster:
    """A master and two workers on loopback, with ports that the system chose."""

    def __init__(self, folder: Path, memory: str = "1g"):
        self.folder = folder
        self.memory = memory
        self.processes: dict[str, subprocess.Popen] = {}
        for name, logging in [("conf", LOGGING), ("driver", DRIVER_LOGGING)]:
            (folder / name).mkdir()
            (folder / name / "log4j2.properties").write_text(logging)

    def start(self) -> None:
        """Start all, and wait until the workers are known to the master. Raises with the logs if not."""
        # Whatever becomes of the tests.
        atexit.register(self.stop)
        there = ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0"]
        try:
            self._start("master", ["org.apache.spark.deploy.master.Master", *there])
            (self.url,) = self._said(r"Starting Spark master at (spark://\S+)\n", 1)
            room = ["--cores", "1", "--memory", self.memory, "--work-dir"]
            for k in range(WORKERS):
                work = [*room, str(self.folder / f"work-{k}")]
                self._start(
                    f"worker-{k}", ["org.apache.spark.deploy.worker.Worker", *there, *work, self.url]
                )
            # Not by the master's page: it is there before it has anything to say.
            self._said(r"Registering worker (\S+) with", WORKERS)
        except Exception as error:
            self.stop()
            raise RuntimeError(f"the cluster did not come up\n{self.logs()}") from error

    def stop(self) -> None:
        """End all processes."""
        atexit.unregister(self.stop)
        for process in self.processes.values():
            # The group: a worker's executors are in it.
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()

    def executors(self) -> list[int]:
        """Return the ids of the executors' processes."""
        workers = [process.pid for name, process in self.processes.items() if name != "master"]
        started = [child for pid in workers for child in psutil.Process(pid).children()]
        return [process.pid for process in started if process.status() != psutil.STATUS_ZOMBIE]

    def logs(self) -> str:
        """Return what the processes have said."""
        return "\n".join(
            f"--- {path.name}\n{path.read_text()}" for path in sorted(self.folder.glob("*.log"))
        )

    def _start(self, name: str, arguments: list[str]) -> None:
        home = Path(pyspark.__file__).parent
        paths = [os.environ["PYTHONPATH"]] if "PYTHONPATH" in os.environ else []
        settings = {
            "SPARK_HOME": str(home),
            "SPARK_CONF_DIR": str(self.folder / "conf"),
            "SPARK_LOCAL_DIRS": str(self.folder / "local"),
            "SPARK_LOCAL_IP": "127.0.0.1",
            "SPARK_DAEMON_MEMORY": "256m",
            # Processes that live for minutes on a few cores.
            "SPARK_DAEMON_JAVA_OPTS": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
            "PYSPARK_PYTHON": sys.executable,
            # Executors run the linsep that the tests run.
            "PYTHONPATH": os.pathsep.join([str(Path(linsep.__file__).parents[1]), *paths]),
        }
        with open(self.folder / f"{name}.log", "w") as log:
            self.processes[name] = subprocess.Popen(
                [str(home / "bin" / "spark-class"), *arguments],
                env={**os.environ, **settings},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                preexec_fn=die_with_parent,
            )

    def _said(self, pattern: str, count: int) -> set[str]:
        """Return so many different things of which the master speaks. Raises if a process has ended."""
        log = self.folder / "master.log"

        def found():
            for name, process in self.processes.items():
                if process.poll() is not None:
                    raise RuntimeError(f"{name} has ended")
            said = set(re.findall(pattern, log.read_text()))
            return said if len(said) >= count else None

        return wait_for(found, f"the master to say {pattern}")


def wait_for(found, what: str, seconds: float = PATIENCE):
    """Return what `found` returns as soon as that is true. Raises TimeoutError if it takes too long."""
    deadline = time.monotonic() + seconds
    while not (value := found()):
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {seconds} s for {what}")
        time.sleep(0.05)
    return value


def die_with_parent() -> None:
    """Ask Linux to kill this process when the one that has started it is gone, even by kill -9."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
