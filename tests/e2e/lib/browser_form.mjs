// A browser without scripts and pictures: cookies, redirects within one site, and forms as our pages write
// them. It says where a request comes from as browsers do (Origin, Sec-Fetch-Site) and keeps SameSite=Lax.

const entities = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
export const unescapeHtml = (text) => text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => entities[name]);

function attributesOf(tag) {
  const found = {};
  for (const [, name, value] of tag.matchAll(/([a-z-]+)(?:="([^"]*)")?(?=[\s/>])/g)) found[name] = unescapeHtml(value ?? '');
  return found;
}

// { method, action, fields, buttons: [{ name, value, text }] }; fields as they would be sent untouched.
function formsOf(html) {
  return [...html.matchAll(/<form\b([^>]*>)(.*?)<\/form>/gs)].map(([, head, inside]) => {
    const { method = 'get', action = '' } = attributesOf(' ' + head);
    const fields = {};
    for (const [, tag] of inside.matchAll(/<input\b([^>]*>)/g)) {
      const { name, value = '' } = attributesOf(' ' + tag);
      if (name) fields[name] = value;
    }
    const buttons = [...inside.matchAll(/<button\b([^>]*>)(.*?)<\/button>/gs)].map(([, tag, text]) => {
      const { name, value } = attributesOf(' ' + tag);
      return { name, value, text: unescapeHtml(text) };
    });
    return { method, action, fields, buttons };
  });
}

// What came back: an answer, and when it is HTML, a page.
export class Page {
  constructor(url, response, text) {
    this.url = url;
    this.status = response.status;
    this.headers = response.headers;
    this.setCookies = response.headers.getSetCookie();
    this.text = text;
    const location = response.headers.get('location');
    this.location = location === null ? undefined : new URL(location, url);  // where it led off this site
    this.forms = formsOf(text);
  }
  get title() {
    return unescapeHtml(/<title>(.*?)<\/title>/s.exec(this.text)?.[1] ?? '');
  }
  // The text of the alert that the page shows, if any.
  get alert() {
    const box = /role="alert"[^>]*>(.*?)<\/div>/s.exec(this.text)?.[1];
    return box && unescapeHtml(box.replace(/<[^>]*>/g, ''));
  }
  // What an error page gives as the code (invalid_request …).
  get errorCode() {
    return /<bdi>([a-z]+(?:_[a-z]+)+)<\/bdi>/.exec(this.text)?.[1];
  }
  // The first form that has all of these fields.
  form(...names) {
    const found = this.forms.find(({ fields }) => names.every((name) => name in fields));
    if (!found) throw new Error(`no form with ${names.join(', ')} in ${this.status} ${this.url}: ${this.title} ${this.alert ?? ''}`);
    return found;
  }
  // 'sign-in', 'consent', 'device-code', 'device-confirm', 'form-post', 'sign-out' or undefined.
  get kind() {
    const has = (...names) => this.forms.some(({ fields }) => names.every((name) => name in fields));
    const decides = this.forms.some(({ buttons }) => buttons.some(({ name }) => name === 'decision'));
    if (has('login', 'password')) return 'sign-in';
    if (this.forms.some(({ action, fields }) => /^[a-z][a-z0-9+.-]*:/.test(action) && !('csrf' in fields))) return 'form-post';
    if (decides && has('user_code')) return 'device-confirm';
    if (has('user_code')) return 'device-code';
    if (decides && this.forms.some(({ action }) => action.endsWith('/oauth2/logout'))) return 'sign-out';
    if (decides) return 'consent';
    return undefined;
  }
}

export class Browser {
  // headers go with every request (Accept-Language, User-Agent, X-Forwarded-For …).
  constructor(site, { headers = {} } = {}) {
    this.site = new URL(site).origin;
    this.headers = headers;
    this.cookies = new Map();
  }
  // Another browser with the same cookies: a stolen or a copied profile.
  copy() {
    const other = new Browser(this.site, { headers: this.headers });
    other.cookies = new Map(this.cookies);
    return other;
  }
  cookie(name) {
    return this.cookies.get(name);
  }
  // One request, no redirect followed. `from`: the origin of the page that asks; undefined: typed by the user.
  async request(method, url, { fields, body, headers = {}, from } = {}) {
    url = new URL(url, this.site);
    const sent = { ...this.headers, ...headers };
    if (from !== undefined) sent['sec-fetch-site'] = from === this.site ? 'same-origin' : 'cross-site';
    else sent['sec-fetch-site'] = 'none';
    if (from !== undefined && method !== 'GET') sent.origin = from;
    const lax = from === undefined || from === this.site || method === 'GET';
    if (this.cookies.size > 0 && lax) sent.cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    if (fields !== undefined) body = new URLSearchParams(fields);
    const response = await fetch(url, { method, headers: sent, body, redirect: 'manual' });
    const page = new Page(url, response, await response.text());
    for (const line of page.setCookies) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      if (/max-age=0(?:;|$)/i.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return page;
  }
  // The same, and on within the site; a redirect that leaves it is not followed: page.location.
  async follow(method, url, options) {
    let page = await this.request(method, url, options);
    for (let hops = 0; page.location?.origin === this.site && page.status >= 300 && page.status < 400; ++hops) {
      if (hops === 10) throw new Error('redirected in a circle');
      page = await this.request('GET', page.location, { from: options?.from });
    }
    return page;
  }
  get(url, options) {
    return this.follow('GET', url, options);
  }
  post(url, fields, options) {
    return this.follow('POST', url, { ...options, fields });
  }
  // Sends a form of the page with some fields filled in. `button`: the value of the button that is pressed.
  submit(page, fields = {}, { form = page.forms[0], button, ...options } = {}) {
    const pressed = form.buttons.find(({ value }) => value === button);
    if (button !== undefined && !pressed) throw new Error(`no button ${button} on ${page.url}`);
    const all = { ...form.fields, ...fields, ...(pressed ? { [pressed.name]: pressed.value } : {}) };
    const url = new URL(form.action, page.url);
    if (form.method !== 'post') return this.follow('GET', `${url}?${new URLSearchParams(all)}`, { from: this.site, ...options });
    return this.follow('POST', url, { from: this.site, ...options, fields: all });
  }
}
