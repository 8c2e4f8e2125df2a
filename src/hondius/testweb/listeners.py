"""Listening sockets: one for each address, all on the same port."""

import contextlib
import errno
import resource
import socket

from hondius.errors import WrongUse

ATTEMPTS = 20
BACKLOG = 512
SPARE_FILES = 4096
"""Descriptors for connections, in addition to one for each listener."""


def raise_file_limit(listeners: int) -> None:
    """Each address needs a listener and at least one connection; the usual soft limit of 1,024 is too low."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = listeners + SPARE_FILES
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def listen(addresses: list[str], port: int) -> list[socket.socket]:
    """Sockets in the order of the addresses. Port 0 chooses one port that is free on all of them."""
    for _ in range(ATTEMPTS if port == 0 else 1):
        sockets: list[socket.socket] = []
        try:
            for address in addresses:
                shared = port or (sockets[0].getsockname()[1] if sockets else 0)
                sockets.append(_open_listener(address, shared))
        except OSError as error:
            failed = addresses[len(sockets)]
            close(sockets)
            if error.errno != errno.EADDRINUSE or port:
                raise WrongUse(_describe_error(error, failed, port)) from error
        except BaseException:
            close(sockets)
            raise
        else:
            return sockets
    raise WrongUse(f"no port is free on all of {len(addresses)} addresses: choose fewer hosts")


def close(sockets: list[socket.socket]) -> None:
    for listener in sockets:
        with contextlib.suppress(OSError):
            listener.close()


def _open_listener(address: str, port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        listener.listen(BACKLOG)
        listener.setblocking(False)
    except BaseException:
        listener.close()
        raise
    return listener


def _describe_error(error: OSError, address: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} is taken on {address}: choose another one, or --port 0 for any that is free"
    if error.errno == errno.EACCES:
        return f"port {port} needs privileges: choose one above 1023, or --port 0 for any that is free"
    if error.errno == errno.EMFILE:
        return "too many hosts for this system's limit of open files: choose fewer, or raise `ulimit -n`"
    if error.errno == errno.EADDRNOTAVAIL:
        return f"this system does not answer on {address}: add it to the loopback interface, or choose fewer hosts"
    return f"cannot listen on {address}, port {port} ({error.strerror}): choose another port, or fewer hosts"
