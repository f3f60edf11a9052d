"""How the page is served: headers that let it load nothing from elsewhere, files of its folder alone, nothing to be written."""

from __future__ import annotations

import socket
from urllib.parse import urlsplit

import pytest

from api.page.preloads import STATIC
from tests.http.served import Served


def policy(text: str) -> dict[str, str]:
    return dict(part.strip().partition(" ")[::2] for part in text.split(";"))


@pytest.mark.parametrize(
    "place", ["/", "/page/app.js", "/page/index.html", "/page/icon.svg", "/embed"]
)
def test_the_policy_of_the_page(served: Served, place: str) -> None:
    with served.client() as client:
        answer = client.get(place)
    assert answer.status_code == 200
    found = policy(answer.headers["content-security-policy"])
    assert (found["default-src"], found["script-src"], found["connect-src"]) == (
        "'none'",
        "'self'",
        "'self'",
    )
    assert (found["base-uri"], found["form-action"], found["frame-ancestors"]) == ("'none'",) * 3
    assert "unsafe" not in found["script-src"] + found["style-src"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["cache-control"] == "no-cache"


def test_what_is_kept_and_what_is_not(served: Served) -> None:
    """Files are kept by a browser and asked for again by their tag; what the service tells is not kept."""
    with served.client() as client:
        first = client.get("/page/app.js")
        again = client.get("/page/app.js", headers={"If-None-Match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert client.get("/v1/catalogue").headers["cache-control"] == "no-store"
        assert client.get("/page/vendor/echarts.js").headers["content-encoding"] == "gzip"
        types = {place: client.get(place).headers["content-type"].partition(";")[0]
                 for place in ("/", "/embed", "/embed.js", "/page/app.js", "/page/style/base.css", "/page/icon.svg")}  # fmt: skip
    script = types.pop("/embed.js")
    assert script == types.pop("/page/app.js")
    assert script in ("text/javascript", "application/javascript")
    assert list(types.values()) == ["text/html", "text/html", "text/css", "image/svg+xml"]


@pytest.mark.parametrize(
    "path",
    [
        "/page/../serving.py", "/page/..%2fserving.py", "/page/%2e%2e/serving.py", "/page/%2e%2e%2fserving.py",
        "/page/..%5cserving.py", "/page/....//serving.py", "/page//etc/passwd", "/page/%2fetc/passwd",
        "/page/lib/../../serving.py", "/page/app.js%00.css", "/page/", "/page", "/page/lib/", "/page/nothing.js",
    ],
)  # fmt: skip
def test_nothing_but_its_own_files_is_given(served: Served, path: str) -> None:
    """Sent as it stands: clients would tidy it up."""
    to = urlsplit(served.url)
    with socket.create_connection((to.hostname, to.port), 10) as way:
        way.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        answer = b"".join(iter(lambda: way.recv(65536), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.split(b" ")[1] in (b"404", b"400", b"307")
    assert b"import" not in body
    assert b"root:" not in body


@pytest.mark.parametrize("place", ["/", "/embed", "/embed.js", "/page/app.js"])
def test_it_is_read_and_not_written(served: Served, place: str) -> None:
    with served.client() as client:
        whole, head = client.get(place), client.head(place)
        assert (head.status_code, head.content) == (200, b"")
        assert head.headers["content-type"] == whole.headers["content-type"]
        for verb in ("POST", "PUT", "DELETE", "PATCH"):
            answer = client.request(verb, place, content=b"x")
            assert answer.status_code == 405, f"{verb} {place}"
    assert (STATIC / "app.js").read_text("utf-8").startswith("//")
