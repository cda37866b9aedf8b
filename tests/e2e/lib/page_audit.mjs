// What must hold on every page: an own accessibility check after WCAG 2.2 A and AA, run inside the page.
// `audit(page, { language })` returns a list of faults, empty when there are none.

// Runs in the browser: it may use nothing from outside.
function inPage({ language }) {
  const faults = [];
  const all = (selector) => [...document.querySelectorAll(selector)];
  const name = (element) => `<${element.localName}${element.id ? ' id=' + element.id : ''}> "${(element.textContent || element.value || '').trim().slice(0, 40)}"`;
  const must = (condition, fault) => condition || faults.push(fault);

  // Structure (1.3.1, 2.4.1, 2.4.2, 2.4.6, 3.1.1)
  must(document.documentElement.lang === language, `lang is ${document.documentElement.lang}, not ${language}`);
  must(document.documentElement.dir, 'no dir');
  const headings = all('h1,h2,h3,h4,h5,h6');
  must(all('h1').length === 1, `${all('h1').length} h1`);
  must(headings[0]?.localName === 'h1', 'the first heading is no h1');
  for (let i = 1; i < headings.length; ++i)
    must(+headings[i].localName[1] <= +headings[i - 1].localName[1] + 1, `${name(headings[i])} skips a level`);
  const h1 = document.querySelector('h1')?.textContent;
  must(document.title.startsWith(h1 + ' · '), `the title "${document.title}" does not begin with the heading "${h1}"`);
  must(all('main').length === 1, 'not one main');
  must(all('body > header').length === 1, 'no banner');
  for (const nav of all('nav')) must(nav.getAttribute('aria-label'), 'a nav without a name');
  for (const element of document.body.children)
    must(['header', 'main', 'footer', 'script'].includes(element.localName) || element.matches('a.skip'), `${name(element)} is in no landmark`);
  const ids = all('[id]').map(({ id }) => id);
  must(new Set(ids).size === ids.length, `an id twice in ${ids}`);
  for (const element of all('[aria-describedby],[aria-labelledby]'))
    for (const id of (element.getAttribute('aria-describedby') ?? element.getAttribute('aria-labelledby')).split(' '))
      must(document.getElementById(id), `${name(element)} refers to #${id}, which is not there`);
  must(document.querySelector('a.skip')?.getAttribute('href') === '#main', 'no link that skips to the content');

  // Names (1.1.1, 1.3.5, 2.5.3, 4.1.2)
  for (const input of all('input:not([type=hidden]),select,textarea')) {
    must([...input.labels].some((label) => label.textContent.trim() && label.htmlFor === input.id), `${name(input)} has no label`);
    must(input.autocomplete, `${name(input)} does not say what it is filled with`);
    if (input.getAttribute('aria-invalid') === 'true') must(input.getAttribute('aria-describedby'), `${name(input)} does not say what is wrong`);
  }
  for (const element of all('button,a')) must(element.textContent.trim() || element.getAttribute('aria-label'), `${name(element)} has no name`);
  for (const image of all('img')) must(image.hasAttribute('alt'), 'an image without alt');
  for (const image of all('img')) must(image.complete && image.naturalWidth > 0, `the image ${image.src} was not loaded`);
  for (const alert of all('.alert')) must(alert.getAttribute('role') === 'alert' && alert.textContent.trim(), 'an error that is not announced');

  // Contrast (1.4.3, 1.4.11)
  const parse = (colour) => {
    const numbers = colour.match(/[\d.]+/g).map(Number);
    return [...numbers.slice(0, 3), numbers[3] ?? 1];
  };
  const over = (top, below) => [...[0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])), 1];
  const behind = (element) => {
    if (!element) return matchMedia('(prefers-color-scheme: dark)').matches ? [18, 18, 18, 1] : [255, 255, 255, 1];
    const own = parse(getComputedStyle(element).backgroundColor);
    return own[3] === 1 ? own : over(own, behind(element.parentElement));
  };
  const luminance = (c) => [0, 1, 2].map((i) => c[i] / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const contrast = (a, b) => {
    const [x, y] = [luminance(a), luminance(b)].sort((p, q) => q - p);
    return (x + 0.05) / (y + 0.05);
  };
  const shown = (element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest('.skip:not(:focus)');
  for (const element of all('body *')) {
    if (['SCRIPT', 'STYLE'].includes(element.tagName) || !shown(element)) continue;
    const text = element.localName === 'input' || [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!text) continue;
    const background = behind(element);
    const ratio = contrast(over(parse(getComputedStyle(element).color), background), background);
    must(ratio >= 4.5, `${name(element)}: contrast ${ratio.toFixed(2)}`);
    if (element.localName === 'input') {
      const around = behind(element.parentElement);
      const edge = contrast(over(parse(getComputedStyle(element).borderTopColor), around), around);
      must(edge >= 3, `${name(element)}: its edge has contrast ${edge.toFixed(2)}`);
    }
  }

  // Size and reflow (1.4.10, 2.5.8)
  const width = document.documentElement.clientWidth;
  must(document.documentElement.scrollWidth <= width, `scrolls sideways: ${document.documentElement.scrollWidth} > ${width}`);
  for (const element of all('body *')) {
    const box = element.getBoundingClientRect();
    if (shown(element) && box.width) must(box.right <= width + 0.5 && box.left >= -0.5, `${name(element)} sticks out of the page`);
  }
  for (const element of all('button,a,input:not([type=hidden])')) {
    if (!shown(element)) continue;
    const inSentence = element.localName === 'a' && [...element.parentElement.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    const box = element.getBoundingClientRect();
    must(inSentence || (box.width >= 24 && box.height >= 24), `${name(element)} is ${box.width.toFixed()} × ${box.height.toFixed()}`);
    if (element.localName === 'input') must(parseFloat(getComputedStyle(element).fontSize) >= 16, `${name(element)}: phones zoom in on letters this small`);
  }
  return faults;
}

export function audit(page, { language = 'en' } = {}) {
  return page.evaluate(inPage, { language });
}

// The element that has the focus, and whether a person sees it (2.4.7, 2.4.13): a ring of at least two pixels with
// a contrast of 3 against what is around.
export function focused(page) {
  return page.evaluate(() => {
    const element = document.activeElement;
    const style = getComputedStyle(element);
    const rgb = (colour) => colour.match(/[\d.]+/g).map(Number);
    const luminance = (colour) => rgb(colour).slice(0, 3).map((c) => c / 255)
      .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
      .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
    let around = element.parentElement;
    while (around.parentElement && rgb(getComputedStyle(around).backgroundColor)[3] === 0) around = around.parentElement;
    const [x, y] = [luminance(style.outlineColor), luminance(getComputedStyle(around).backgroundColor)].sort((a, b) => b - a);
    return {
      what: element.id || element.getAttribute('name') || element.getAttribute('hreflang') || element.textContent.trim(),
      ring: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 && (x + 0.05) / (y + 0.05) >= 3,
      inView: element.getBoundingClientRect().top >= 0 && element.getBoundingClientRect().bottom <= innerHeight,
    };
  });
}
