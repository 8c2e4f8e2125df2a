// Runs before any script of an archived page, in each document. No policy of a browser stops two ways out: WebRTC, and
// connections ahead of time (preconnect, dns-prefetch). The page has no origin, so it cannot take what is removed here from
// another window. What is kept of the language is taken before the page can change it.
(() => {
  "use strict";
  const { apply, defineProperty, getOwnPropertyDescriptor, ownKeys } = Reflect;
  const { exec } = RegExp.prototype;
  const { slice } = String.prototype;
  const matches = (pattern, text) => apply(exec, pattern, [text]) !== null;
  const own = document.currentScript;
  const guard = own.outerHTML;
  own.remove();

  const AHEAD = /preconnect|prefetch|prerender/i;
  const isAhead = (name, value) => matches(/(?:^|:)rel$/i, name) && matches(AHEAD, value);

  // A link is kept if it is written plainly and connects to nobody ahead of time.
  const LINK = /<(?:[^\s<>/:]*:)?link(?=[\s/>]|$)/i;
  const PLAIN = /^(?:\s+[a-z-]+(?:=(?:"[^"&<>]*"|'[^'&<>]*'|[^\s"'&<>=`]+))?)*\s*\/?>/i;
  const clean = (value) => {
    let rest = "" + value, text = "", found;
    while ((found = apply(exec, LINK, [rest])) !== null) {
      const end = found.index + found[0].length;
      const after = apply(slice, rest, [end]);
      const tag = apply(exec, PLAIN, [after]);
      const kept = tag !== null && !matches(AHEAD, tag[0]);
      text += apply(slice, rest, [0, found.index]) + (kept ? found[0] : "<data-was-link");
      rest = after;
    }
    rest = text + rest;
    text = "";
    while ((found = apply(exec, /srcdoc(?=\s*=)/i, [rest])) !== null) {
      text += apply(slice, rest, [0, found.index]) + "data-was-srcdoc";
      rest = apply(slice, rest, [found.index + found[0].length]);
    }
    return text + rest;
  };

  const attempt = (work) => { try { work(); } catch { /* this browser has no such thing */ } };
  const wrap = (object, name, change) => attempt(() => {
    const found = getOwnPropertyDescriptor(object, name);
    const key = found.set ? "set" : "value", original = found[key];
    if (typeof original !== "function") return;
    const wrapped = { [name](...values) {
      const changed = change(values, this);
      return changed === null ? undefined : apply(original, this, changed);
    } }[name];
    defineProperty(object, name, { ...found, [key]: wrapped });
  });
  const cleanAt = (index) => (values) => {
    if (index < values.length) values[index] = clean(values[index] ?? "");
    return values;
  };

  // Attributes.
  const attribute = (name, value, prepared) => {
    if (isAhead(name, value)) return null;
    if (matches(/(?:^|:)srcdoc$/i, name)) return prepared(guard + value);
    return prepared(value);
  };
  wrap(Element.prototype, "setAttribute", ([name, value]) =>
    attribute(name = "" + name, "" + value, (safe) => [name, safe]));
  wrap(Element.prototype, "setAttributeNS", ([space, name, value]) =>
    attribute(name = "" + name, "" + value, (safe) => [space, name, safe]));
  const readName = getOwnPropertyDescriptor(Attr.prototype, "name").get;
  const readValue = getOwnPropertyDescriptor(Attr.prototype, "value").get;
  const readType = getOwnPropertyDescriptor(Node.prototype, "nodeType").get;
  const whole = ([node]) => {
    const name = apply(readName, node, []), value = apply(readValue, node, []);
    return isAhead(name, value) || matches(/(?:^|:)srcdoc$/i, name) ? null : [node];
  };
  for (const name of ["setAttributeNode", "setAttributeNodeNS"]) wrap(Element.prototype, name, whole);
  for (const name of ["setNamedItem", "setNamedItemNS"]) wrap(NamedNodeMap.prototype, name, whole);
  const content = ([value], node) => {
    if (apply(readType, node, []) !== 2) return [value];
    return attribute(apply(readName, node, []), "" + value, (safe) => [safe]);
  };
  wrap(Attr.prototype, "value", content);
  wrap(Node.prototype, "nodeValue", content);
  wrap(Node.prototype, "textContent", content);
  const word = (values) => {
    const texts = [];
    for (let at = 0; at < values.length; at++) {
      const text = typeof values[at] === "boolean" ? values[at] : "" + values[at];
      if (matches(AHEAD, "" + text)) return null;
      defineProperty(texts, at, { value: text, writable: true, enumerable: true });
    }
    return texts;
  };
  for (const name of ["rel", "relList"]) wrap(HTMLLinkElement.prototype, name, word);
  for (const name of ["add", "replace", "toggle", "value"]) wrap(DOMTokenList.prototype, name, word);
  wrap(HTMLIFrameElement.prototype, "srcdoc", ([value]) => [guard + value]);

  // Markup. What is written in pieces is joined where a link or a frame begins.
  for (const object of [Element.prototype, ShadowRoot.prototype, Document.prototype, Document, Range.prototype])
    for (const name of ownKeys(object))
      if (typeof name === "string" && matches(/HTML|^createContextualFragment$/, name) && name !== "getHTML") {
        if (matches(/stream/i, name)) attempt(() => { delete object[name]; });
        else wrap(object, name, cleanAt(name === "insertAdjacentHTML" ? 1 : 0));
      }
  wrap(DOMParser.prototype, "parseFromString", cleanAt(0));
  wrap(Document.prototype, "execCommand", cleanAt(2));
  const NAME = "l(?:i(?:nk?)?)?|i(?:f(?:r(?:a(?:me?)?)?)?)?";
  const INSIDE = `(?:link|iframe)[\\s/](?:[^"'>]|"[^"]*"|'[^']*')*(?:"[^"]*|'[^']*)?`;
  const OPEN = new RegExp(`<(?:${NAME}|${INSIDE})?$`, "i");
  let pending = "";
  const written = (end) => (values) => {
    let text = pending;
    for (let at = 0; at < values.length; at++) text += values[at];
    text += end;
    const open = apply(exec, OPEN, [text]);
    pending = open === null ? "" : open[0];
    return [clean(open === null ? text : apply(slice, text, [0, open.index]))];
  };
  wrap(Document.prototype, "write", written(""));
  wrap(Document.prototype, "writeln", written("\n"));
  wrap(XMLHttpRequest.prototype, "overrideMimeType", ([type]) =>
    matches(/xml|html/i, type = "" + type) ? ["text/plain"] : [type]);

  // Browsers that know trusted types ask here about all other markup, and about addresses that are scripts: those must not
  // become a new document.
  attempt(() => trustedTypes.createPolicy("default", {
    createHTML: (text) => clean(text),
    createScriptURL: (text) => text,
    createScript: (text, type, sink) =>
      matches(/^(?:eval|Function|Element |HTMLScriptElement|SVGScriptElement|Window set)/, "" + sink) ? text : text + "\n;void 0",
  }));
  for (const name of ownKeys(window))
    if (typeof name === "string"
      && matches(/^(?:webkit|moz)?RTC|^XSLTProcessor$|^speechSynthesis$|^trustedTypes$|^PresentationRequest$/, name))
      attempt(() => { delete window[name]; });
})();
