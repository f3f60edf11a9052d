"""How soon the page stands, how much it weighs, and that sixty turns do not make it slow."""

from __future__ import annotations

from statistics import median

from playwright.sync_api import Browser, Page

from tests.http.served import Served

FIRST = 1000  # milliseconds to the first contentful paint
WEIGHT = 1_500_000  # bytes of everything that is loaded, as it is without compression
TURNS = 60

PAINT = """() => new Promise((give) => {
  new PerformanceObserver((list) => { for (const one of list.getEntriesByName('first-contentful-paint')) give(one.startTime); })
    .observe({type: 'paint', buffered: true});
})"""
LOADED = """async () => {
  await import('/page/vendor/echarts.js'); // loaded once already where a chart is shown
  const all = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
  const sizes = Object.fromEntries(all.map((one) => [one.name.replace(/[?#].*/, ''), one.decodedBodySize]));
  return [Object.keys(sizes).length, Object.values(sizes).reduce((sum, size) => sum + size, 0)];
}"""
# Types and sends, waits until the answer is drawn; gives the milliseconds, and those of them that the service took.
ASK = """async (text) => {
  performance.setResourceTimingBufferSize(5000);
  const box = document.getElementById('composer'), column = document.querySelector('[role=log]');
  const ended = () => column.querySelectorAll('.entry[data-status=done]').length, before = ended();
  box.value = text;
  box.dispatchEvent(new InputEvent('input', {bubbles: true}));
  await new Promise(requestAnimationFrame);
  const start = performance.now();
  const done = new Promise((give) => {
    const look = new MutationObserver(() => { if (ended() > before) { look.disconnect(); give(); } });
    look.observe(column, {subtree: true, childList: true, attributes: true, attributeFilter: ['data-status']});
  });
  box.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}));
  await done;
  await new Promise((give) => requestAnimationFrame(() => setTimeout(give)));
  const taken = performance.now() - start;
  const sent = performance.getEntriesByType('resource').filter((one) => one.name.endsWith('/turns')).at(-1);
  return [taken, sent ? Math.min(sent.duration, taken) : 0, document.querySelectorAll('*').length];
}"""


def opened(browser: Browser, served: Served) -> Page:
    page = browser.new_context(locale="zh-CN", viewport={"width": 1280, "height": 800}).new_page()
    page.goto(served.url)
    page.locator("#composer").wait_for()
    return page


def test_the_first_paint_is_soon(browser: Browser, served: Served) -> None:
    """With nothing kept from before; the best of three, since a machine may be busy with something else."""
    found = []
    for _ in range(3):
        page = opened(browser, served)
        found.append(page.evaluate(PAINT))
        page.context.close()
    assert min(found) < FIRST, found


def test_all_that_is_loaded_with_a_chart_weighs_little(browser: Browser, served: Served) -> None:
    page = opened(browser, served)
    page.evaluate(ASK, "今年各月应收")
    page.wait_for_timeout(500)
    files, weight = page.evaluate(LOADED)
    page.context.close()
    assert files > 30
    assert weight < WEIGHT


def test_sixty_turns_do_not_make_it_slow(browser: Browser, served: Served) -> None:
    """From Enter to the answer, without what the service takes; and no turn adds more to the page than another."""
    page = opened(browser, served)
    parks, months = ("张江", "临港", "全部园区"), range(1, 9)
    told = [f"{month}月{park}的应收" for month in months for park in parks]
    own, nodes = [], []
    for number in range(TURNS):
        taken, service, count = page.evaluate(ASK, told[number % len(told)])
        own.append(taken - service)
        nodes.append(count)
    page.context.close()
    assert median(own[-10:]) <= 1.5 * median(own[5:15]) + 10, own
    half = TURNS // 2
    assert nodes[-1] - nodes[half] <= 1.3 * (nodes[half] - nodes[0]), nodes
    assert nodes[-1] < 15_000
