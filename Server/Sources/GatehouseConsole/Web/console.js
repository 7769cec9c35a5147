"use strict";
// Everything works without this script.
const { dataset } = document.documentElement, { clipboard } = navigator;
const $ = (css, node = document) => node?.querySelector(css);
const $$ = (css, node = document) => [...node.querySelectorAll(css)];
const each = (css, act) => $$(css).forEach(act);
const on = (events, act, node = window) => events.split(" ").forEach((event) => node.addEventListener(event, act));
const make = (tag, values) => Object.assign(document.createElement(tag), values);
const stay = (event) => event.preventDefault();
const isCommand = (event) => event.ctrlKey || event.metaKey;
const text = (node) => node.textContent;
const focused = () => document.activeElement;
const isTyping = (node) => node.closest("input, textarea, select, [contenteditable]");
const addButton = (node, textContent, onclick) =>
  node.insertAdjacentElement("afterend", make("button", { type: "button", className: "copy", textContent, onclick }));

// Asks for a part of a page: its policy lets no script parse text.
const ask = (method, address, css, then, header, body) => {
  const call = new XMLHttpRequest();
  call.open(method, address);
  call.responseType = "document";
  if (header) call.setRequestHeader(...header);
  call.onload = () => {
    const part = $(css, call.response);
    if (part) then(part, call);
  };
  call.send(body);
  return call;
};

// Asks after a pause, and forgets what was asked before.
const pausing = (pause) => {
  let timer, call;
  return (start) => {
    clearTimeout(timer);
    call?.abort();
    timer = setTimeout(() => call = start?.(), pause);
  };
};

// Ids are copied with one click.
const copy = (codes, button) => clipboard?.writeText(codes.map(text).join("\n")).then(() => {
  if (button) button.textContent = "✓ " + text(button).replace("✓ ", "");
});
each("main dd > code, main td > code", (code) => {
  code.title = text(code);
  code.ondblclick = () => copy([code]);
});
each("code[data-copy]", (code) => addButton(code, code.dataset.copy, ({ target }) => copy([code], target)));
each("[data-act]", (button) => {
  const isPrint = button.dataset.act === "print";
  button.hidden = !isPrint && !clipboard;
  button.onclick = () => isPrint ? print() : copy($$("#codes code"), button);
});

// The browser's time zone where none is chosen. UTC may mean unknown.
const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
if (zone !== "UTC") each("[data-zone]", (field) => {
  if (field.value) return;
  field.value = zone;
  if (!field.value) field.add(new Option(zone, zone, true, true));
});

// A password can be looked at until it is sent.
each("input[type=password]", (field) => {
  const show = (isShown) => { field.type = isShown ? "text" : "password"; button.ariaPressed = isShown; };
  const button = addButton(field, dataset.show, () => show(field.type !== "text"));
  on("submit", () => show(false), field.form);
});

// The menu of many apps has a filter.
each("[data-filter]", (filter) => {
  filter.hidden = false;
  filter.oninput = () => each("#apps li", (item) => {
    item.hidden = !text(item).toLowerCase().includes(filter.value.toLowerCase());
  });
});

// Some links leave no entry in the history, for Back.
each("a[data-replace]", (link) => link.onclick = (event) => {
  if (isCommand(event) || event.shiftKey || event.button) return;
  stay(event);
  location.replace(link.href);
});

// Rows that lack room are cards, labelled by the headings.
const fit = (css = ".rows:not(.labelled)") => each(css, (box) => {
  const list = box.classList, names = $$("thead tr > *", box).map(text), isPhone = innerWidth < 768;
  for (const cell of $$("tbody td", box)) {
    const name = names[cell.cellIndex || -1];
    if (name && !$(".badge", cell)) cell.dataset.l = name;
  }
  list.add("labelled");
  if (!isPhone) list.remove("dense", "stacked");
  for (const name of ["dense", "stacked"])
    if (isPhone || box.scrollWidth > box.clientWidth && !box.closest(".will")) list.add(name);
});
fit();
on("resize", () => fit(".rows"));

// One box selects every row of a list.
each("form.pick", (form) => {
  const title = form.dataset.all, all = make("input", { type: "checkbox", title, ariaLabel: title });
  all.onchange = () => { for (const box of form.elements) box.checked = all.checked; };
  $("th", form).prepend(all);
});

// A link to a member in a table shows a card of it.
const peeking = pausing(350);
let peek, peeked;
const unpeek = () => { peeking(); peek?.remove(); peek = peeked = null; };
on("mouseover focusin", ({ target }) => {
  const link = target.closest("td a");
  if (link == peeked || peek?.contains(target)) return;
  unpeek();
  if (!/\/members\/[^/]+$/.test(link?.pathname)) return;
  peeked = link;
  peeking(() => ask("GET", link.pathname + "/card", ".peek", (part) => {
    link.after(peek = part);
    peek.showPopover();
  }));
});

// A chart's values, by pointer or arrow keys.
each("svg[data-at]", (svg) => {
  const figure = svg.closest("figure"), more = $(".more a", figure), stop = svg.closest(".scroll") || svg;
  const [left, slot] = svg.dataset.at.split(" "), address = new URL(more || location);
  const out = figure.appendChild(make("output")), line = $(".at", svg);
  const tell = (textContent, d) => { out.textContent = textContent; line.setAttribute("d", d); };
  const hide = () => tell("", "");
  address.pathname += ".json";
  if (more) address.search += "&of=overview";
  let values, place;
  const show = async (index) => {
    values ??= fetch(address).then((answer) => answer.json());
    const known = await values, last = known.length - 1;
    place = Math.max(0, Math.min(index, last));
    tell(known[place].text, `M${+left + slot * (place + .5)} 0V999`);
    out.className = place * 2 > last ? "at-start" : "";
  };
  const open = async () => {
    const details = (await values)?.[place].address;
    if (details) location = details;
  };
  stop.tabIndex = 0;
  svg.onpointerdown = svg.onpointermove = ({ x, y }) =>
    show(Math.floor((new DOMPoint(x, y).matrixTransform(svg.getScreenCTM().inverse()).x - left) / slot));
  svg.onpointerleave = stop.onblur = hide;
  svg.onclick = open;
  stop.onkeydown = ({ key }) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (step) show((place ?? 1e4) + step);
    if (key === "Escape") hide();
    if (key === "Enter") open();
  };
});

// Words that were typed and not sent.
let isChanged = false;
each("body:not(.plain) form[method=post]:not(.choose form, .find form)", (form) =>
  on("input submit", ({ type }) => isChanged = type === "input", form));
on("beforeunload", (event) => { if (isChanged) stay(event); });

// Find: a palette over every page.
const box = $(".find"), search = pausing(150);
let palette;
const look = () => {
  const [{ firstElementChild: form }, status, found] = palette.children, fields = new URLSearchParams(new FormData(form));
  search();
  // A secret key is not asked for, because addresses are kept.
  if (fields.get("q").includes("gsk_")) return found.replaceChildren();
  fields.delete("token");
  search(() => ask("GET", form.action + "?part=1&" + fields, ".found", (part) => {
    found.replaceChildren(part);
    status.textContent = part.dataset.count;
  }));
};
const find = () => {
  if (!palette) {
    palette = document.body.appendChild(make("dialog", { className: "palette", oninput: look }));
    palette.append(box.cloneNode(true), make("p", { className: "hidden", role: "status" }), make("div"));
    const input = $("[name=q]", palette), label = $("label", palette);
    input.id = label.htmlFor = "palette";
    input.type = "text";
    palette.ariaLabel = text(label);
    palette.onclick = ({ target }) => { if (target === palette) palette.close(); };
    palette.onkeydown = (event) => {
      const stops = $$("#palette, a", palette), step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step) return;
      stay(event);
      stops.at((stops.indexOf(focused()) + step) % stops.length).focus();
    };
    look();
  }
  palette.showModal();
  $("#palette").select();
};
if (box) {
  $("kbd", box).hidden = false;
  $("[name=q]", box).onclick = find;
}

// A live page asks for itself, while that disturbs nobody.
const news = $(".live-new");
if (news) {
  const times = (node) => new Set($$("main time:not([data-live] time)", node).map((time) => time.dateTime));
  const isBusy = () => document.hidden || isChanged || !getSelection().isCollapsed || isTyping(focused())
    || $(":popover-open, dialog[open]");
  const known = times(), address = new URL(location);
  for (const field of ["live", "renewed"]) address.searchParams.set(field, 1);
  let tag = "";
  setInterval(() => isBusy() || ask("GET", address, ".live-new", (_, call) => {
    if (call.status !== 200 || isBusy()) return;
    tag = call.getResponseHeader("ETag");
    for (const part of $$("[data-live]")) {
      const other = call.response.getElementById(part.id);
      if (part.contains(focused())) tag = "";
      else if (other?.isEqualNode(part) === false) part.replaceChildren(...other.childNodes);
    }
    fit();
    const count = times(call.response).difference(known).size;
    const textContent = news.dataset.text.replace("#", count);
    if (count && text(news) !== textContent) news.replaceChildren(make("a", { href: location.href, textContent }));
  }, ["If-None-Match", tag]), 1e4);
}

// What will happen follows what is typed. Nothing is done before it is shown.
const will = $(".will");
if (will) {
  const form = will.closest("form"), look = $("[formaction]", form), path = new URL(form.action).pathname;
  const own = /^(token|once|seen|shown|typed|password|code|sealed|secret\..*)$/, reasons = /^(reason|earlierReason|ticket)$/;
  const values = (...out) => new URLSearchParams([...new FormData(form)].filter(([name]) => !out.some((names) => names.test(name))));
  const show = (part) => {
    for (const field of $$("[name=password], [name=code]", part))
      field.value = $(`[name=${field.name}]`, will)?.value ?? field.value;
    will.replaceChildren(...part.childNodes);
    fit();
    will.ariaBusy = "false";
    const query = values(own, reasons) + "&filled=on";
    if (query.length < 1500 && !$("[name^='secret.']", form)) history.replaceState(null, "", path + "?" + query);
  };
  const renew = pausing(400), reached = new Set();
  let isTyped = false;
  // A field is not complained of before somebody has come to it.
  on("input focusout", ({ target }) => reached.add(target.name), form);
  on("input", ({ target }) => {
    isTyped = true;
    if (target.name === "earlierReason") form.elements.reason.value = target.value;
    if (!look || will.contains(target) || reasons.test(target.name)) return;
    will.ariaBusy = "true";
    renew(() => ask("POST", look.formAction, ".will", show, ["X-Part", ["will", ...reached].join(" ")], values()));
  }, form);
  on("submit", (event) => { if (event.submitter !== look && will.ariaBusy === "true") stay(event); }, form);
  // Another language shows what was typed, without secrets.
  each("form[action$='/me/language']", (other) => on("formdata", ({ formData }) => {
    if (isTyped) formData.set("again", path + "/check?" + values(own));
  }, other));
}

// Keys. All but the first two are a preference.
const links = { o: "", m: "/members", b: "/bans", l: "/launching", p: "/providers", a: "/audit" };
let goes = false;
on("keydown", (event) => {
  const { key, target } = event, isOpen = $("dialog[open]");
  if (key === "Escape") unpeek();
  if (box && isCommand(event) && key === "k") { stay(event); if (!isOpen) find(); }
  if (dataset.keys !== "on" || isCommand(event) || event.altKey || isOpen) return;
  if (isTyping(target)) {
    if (key === "Escape") target.blur();
  } else if (goes) {
    const app = $("a.app");
    goes = false;
    if (app && key in links) location = app.pathname + links[key];
    if (key === "j") location = "/console/jobs";
  } else {
    const rows = $$("main tbody td > a"), place = rows.indexOf(focused());
    rows[place + { j: 1, k: -1 }[key]]?.focus();
    if (key === "o" && place >= 0) open(rows[place].href, "_blank", "noopener");
    if (key === "?") location = "/console/keys";
    if (key === "/") { stay(event); find(); }
    if (key === "g") { goes = true; setTimeout(() => goes = false, 1500); }
  }
});
