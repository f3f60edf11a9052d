"""API keys in their file: made, known, expired, revoked; a broken file lets nobody in."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from api.identity import IdentityError, Principal, Unauthenticated
from api.identity.keys import KeyFile, Wanted, digest
from tests.identity.conftest import NOW

ANN = Wanted(
    "Ann 的报表",
    ("user", "auditor"),
    "ann",
    "acme",
    (("park_id", ("P001", "P002")),),
    expires=datetime(2027, 2, 1, tzinfo=UTC),
)


def refused(kept: KeyFile, credential: str, now: float = NOW, origin: str | None = None) -> str:
    with pytest.raises(Unauthenticated) as caught:
        kept.principal(credential, origin, now)
    assert credential not in str(caught.value)
    return f"{caught.value.code} {caught.value.who} {caught.value.how}"


def test_a_key_gives_its_principal(kept: KeyFile) -> None:
    made, text = kept.add(ANN, NOW)
    assert text.startswith(f"wenshu_{made.id}_")
    assert len(text) == 7 + 8 + 1 + 43
    assert kept.principal(text, None, NOW) == Principal(
        "ann",
        "acme",
        frozenset({"user", "auditor"}),
        (("park_id", ("P001", "P002")),),
        False,
        (),
        "key",
        made.id,
    )


def test_the_file_holds_a_digest_and_no_secret_and_is_its_owners(kept: KeyFile) -> None:
    made, text = kept.add(ANN, NOW)
    secret = text.split("_", 2)[2]
    content = kept.path.read_text("utf-8")
    assert secret not in content
    assert json.loads(content)["keys"][0]["digest"] == digest(secret) == made.digest
    assert stat.S_IMODE(kept.path.stat().st_mode) == 0o600
    assert sorted(os.listdir(kept.path.parent)) == ["keys.json", "keys.json.lock"]


def test_expired_revoked_unknown_wrong(kept: KeyFile) -> None:
    made, text = kept.add(ANN, NOW)
    end = ANN.expires.timestamp() if ANN.expires else 0.0
    assert kept.principal(text, None, end - 1).id == "ann"
    assert refused(kept, text, end) == f"key-expired acme/ann key {made.id}"
    assert refused(kept, text[:-1] + ("A" if text[-1] != "A" else "B")) == (
        f"key-unknown  key {made.id}"
    )
    assert refused(kept, f"wenshu_{'0' * 8}_{text[-43:]}") == "key-unknown  none"
    assert kept.revoke(made.id, NOW).state(NOW) == "revoked"
    assert refused(kept, text) == f"key-revoked acme/ann key {made.id}"
    first = kept.keys()[made.id].revoked
    assert kept.revoke(made.id, NOW + 60).revoked == first  # revoked once is revoked


@pytest.mark.parametrize(
    "credential",
    [
        "wenshu_",
        "wenshu_0a1b2c3d_short",
        "wenshu_0A1B2C3D_" + "a" * 43,
        "wenshu_0a1b2c3d_" + "a" * 44,
        "wenshu_0a1b2c3d_" + "a" * 43 + "\n",
        "wenshu_٠a1b2c3d_" + "a" * 43,
        "wenshu_0a1b2c3d_" + "é" * 43,
    ],
)
def test_what_is_no_key_is_not_looked_for(kept: KeyFile, credential: str) -> None:
    kept.add(ANN, NOW)
    assert refused(kept, credential) == "credentials-malformed  none"


def test_a_key_for_pages_of_a_site_is_for_no_other(kept: KeyFile) -> None:
    made, text = kept.add(Wanted("page", origins=("https://a.example.com",)), NOW)
    assert kept.principal(text, "https://a.example.com", NOW).origins == ("https://a.example.com",)
    assert kept.principal(text, None, NOW).id == "page"  # no page asks
    for origin in ("https://b.example.com", "http://a.example.com", "null", ""):
        assert refused(kept, text, NOW, origin) == f"key-origin default/page key {made.id}"
    assert kept.origins(NOW) == {"https://a.example.com"}
    kept.revoke(made.id, NOW)
    assert kept.origins(NOW) == frozenset()


def test_a_key_for_other_pages_is_good_within_them_alone(kept: KeyFile) -> None:
    portal, other = "https://portal.example", "https://other.example"
    made, text = kept.add(Wanted("portal", ("embed",), origins=(portal,)), NOW)
    kept.add(Wanted("page", origins=(other,)), NOW)
    own = "https://wenshu.example"  # what the frame asks from: the service itself
    assert kept.principal(text, own, NOW, portal).scopes == {"embed"}
    for host in (None, own, other, f"{portal}, {other}", "null"):
        with pytest.raises(Unauthenticated) as caught:
            kept.principal(text, portal, NOW, host)
        assert caught.value.code == "key-origin"
    assert kept.origins(NOW) == {portal, other}
    assert kept.origins(NOW, embedding=True) == {portal}
    kept.revoke(made.id, NOW)
    assert kept.origins(NOW, embedding=True) == frozenset()


def test_what_another_process_writes_is_seen(kept: KeyFile) -> None:
    made, text = kept.add(ANN, NOW)
    assert kept.principal(text, None, NOW).id == "ann"
    other = KeyFile(kept.path)
    _, second = other.add(Wanted("bob"), NOW)
    other.revoke(made.id, NOW)
    assert kept.principal(second, None, NOW).id == "bob"
    assert refused(kept, text) == f"key-revoked acme/ann key {made.id}"
    assert list(kept.keys()) == list(other.keys())


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda text: "", "Invalid JSON: EOF while parsing a value at line 1 column 0"),
        (lambda text: text[:-9], "Invalid JSON"),
        (lambda text: text.replace('"keys"', '"kees"'), "kees: Extra inputs are not permitted"),
        (
            lambda text: text.replace('"everything": false', '"everything": "no"'),
            "keys.0.everything",
        ),
        (lambda text: text.replace('"auditor"', '"root"'), "keys.0.scopes.1: Input should be"),
        (lambda text: text.replace('"ann"', '"an\\u0000n"'), "keys.0.user: a name has"),
        (lambda text: text.replace("T08:00:00Z", "T08:00:00"), "keys.0.created"),
        (lambda text: text.replace('"wenshu_keys": 1', '"wenshu_keys": 2'), "wenshu_keys: Input"),
    ],
)
def test_a_broken_file_says_what_is_wrong_and_lets_nobody_in(
    kept: KeyFile, change: object, says: str, caplog: pytest.LogCaptureFixture
) -> None:
    _, text = kept.add(ANN, NOW)
    assert kept.principal(text, None, NOW).id == "ann"
    content = kept.path.read_text("utf-8")
    broken = change(content)  # type: ignore[operator]
    assert broken != content
    kept.path.write_text(broken, encoding="utf-8")
    for _ in range(3):
        assert refused(kept, text) == "keys-unreadable  none"
    (told,) = [record.getMessage() for record in caplog.records]  # once
    assert told.startswith(f"the key file {kept.path} is broken: ")
    assert says in told
    with pytest.raises(IdentityError, match="is broken"):
        kept.add(Wanted("bob"), NOW)
    assert kept.path.read_text("utf-8") == broken  # what was there stays, to be mended
    kept.path.write_text(content, encoding="utf-8")
    assert kept.principal(text, None, NOW).id == "ann"


def test_two_keys_of_one_id(kept: KeyFile) -> None:
    kept.add(ANN, NOW)
    data = json.loads(kept.path.read_text("utf-8"))
    data["keys"] *= 2
    kept.path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(IdentityError, match="two keys have the same id"):
        kept.keys()


def test_a_file_that_goes_away_or_that_all_may_write_lets_nobody_in(kept: KeyFile) -> None:
    _, text = kept.add(ANN, NOW)
    kept.path.chmod(0o666)
    assert refused(kept, text) == "keys-unreadable  none"
    with pytest.raises(IdentityError, match="can be written by every account: chmod 600"):
        kept.keys()
    kept.path.chmod(0o600)
    assert kept.principal(text, None, NOW).id == "ann"
    kept.path.unlink()
    assert kept.present()
    assert refused(kept, text) == "keys-unreadable  none"


def test_a_link_stays_a_link(kept: KeyFile, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    real = tmp_path / "real" / "keys.json"
    KeyFile(real).add(ANN, NOW)
    kept.path.symlink_to(real)
    kept.add(Wanted("bob"), NOW)
    assert kept.path.is_symlink()
    assert len(KeyFile(real).keys()) == 2


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        (Wanted(" ann"), "name: a name has 1 to 200 visible characters"),
        (Wanted("ann", scopes=()), "scopes: Tuple should have at least 1 item"),
        (Wanted("ann", tenant=""), "tenant: a name has"),
        (Wanted("ann", origins=("https://a.example.com/",)), "origins.0: an origin is written"),
        (Wanted("ann", origins=("*",)), "origins.0: an origin is written"),
        (Wanted("ann", ("embed",)), "a key of the scope embed needs the sites"),
        (Wanted("ann", ("embed", "user"), origins=("https://a.example",)), "has no other scope"),
        (Wanted("ann", attributes=(("park_id", ("",)),)), "attributes.park_id.0: a name has"),
        (Wanted("ann", attributes=(("a", ("b",)),), everything=True), "leave one of them out"),
        (Wanted("ann", expires=datetime(2027, 1, 1, tzinfo=UTC)), "would have expired already"),
        (Wanted("ann", expires=datetime(2028, 1, 1)), "expires: Input should have timezone"),
    ],
)
def test_what_no_key_can_be(kept: KeyFile, wanted: Wanted, says: str) -> None:
    with pytest.raises(IdentityError, match=says):
        kept.add(wanted, NOW)
    assert not kept.path.exists()


def test_keys_made_at_the_same_time_are_all_kept(kept: KeyFile) -> None:
    code = (
        "import sys; from pathlib import Path; from api.identity.keys import KeyFile, Wanted\n"
        "for i in range(10): KeyFile(Path(sys.argv[1])).add(Wanted(f'{sys.argv[2]}-{i}'), 1.8e9)"
    )

    def process(number: int) -> None:
        subprocess.run([sys.executable, "-c", code, kept.path, str(number)], check=True)

    def thread(number: int) -> None:
        for i in range(10):
            kept.add(Wanted(f"t{number}-{i}"), NOW)

    with ThreadPoolExecutor() as pool:
        done = [pool.submit(process, number) for number in range(3)]
        done += [pool.submit(thread, number) for number in range(3)]
        for one in done:
            one.result()
    names = {key.name for key in KeyFile(kept.path).keys().values()}
    assert len(names) == 60
    assert sorted(os.listdir(kept.path.parent)) == ["keys.json", "keys.json.lock"]
