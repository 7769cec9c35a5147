"use strict";
// Everything works without this script. It adds keys, copying, and a warning before typed words are lost.
(() => {
  const root = document.documentElement;
  const isTyping = (target) => target.closest("input, textarea, select, [contenteditable]");

  // Ids are copied with one click.
  for (const code of document.querySelectorAll("main dd > code, main td > code")) {
    code.title = code.textContent;
    code.addEventListener("dblclick", () => navigator.clipboard && navigator.clipboard.writeText(code.textContent));
  }

  for (const code of document.querySelectorAll("code[data-copy]")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = code.dataset.copy;
    button.addEventListener("click", () => {
      if (navigator.clipboard) navigator.clipboard.writeText(code.textContent).then(() => { button.textContent = "\u2713 " + code.dataset.copy; });
    });
    code.after(button);
  }

  // A page that has answered a form leaves no entry in the history, so that Back leads to the form.
  for (const link of document.querySelectorAll("a[data-replace]")) {
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
      event.preventDefault();
      location.replace(link.href);
    });
  }

  // A summary of problems gets the focus, so that it is read first.
  const problems = document.querySelector(".notice.bad[tabindex]");
  if (problems) problems.focus();

  // Words that were typed and not sent.
  let isChanged = false;
  for (const form of document.querySelectorAll("form[method=post]")) {
    form.addEventListener("input", () => { isChanged = true; });
    form.addEventListener("submit", () => { isChanged = false; });
  }
  addEventListener("beforeunload", (event) => { if (isChanged) event.preventDefault(); });

  // Keys.
  if (root.dataset.keys !== "on") return;
  let goes = false;
  const list = document.getElementById("keys");
  const links = { o: "", m: "/members", b: "/bans", l: "/launching", p: "/providers", a: "/audit" };
  addEventListener("keydown", (event) => {
    const target = event.target;
    if (event.ctrlKey || event.metaKey || event.altKey || (list && list.open)) return;
    if (event.key === "Escape" && isTyping(target)) { target.blur(); return; }
    if (isTyping(target)) return;
    if (goes) {
      goes = false;
      const app = document.querySelector("a.app");
      if (app && event.key in links) location.assign(app.pathname + links[event.key]);
      if (event.key === "j") location.assign("/console/jobs");
      return;
    }
    const rows = [...document.querySelectorAll("main tbody a")];
    const place = rows.indexOf(document.activeElement);
    switch (event.key) {
    case "/": { const find = document.getElementById("find"); if (find) { event.preventDefault(); find.focus(); } break; }
    case "g": goes = true; setTimeout(() => { goes = false; }, 1500); break;
    case "j": if (rows[place + 1]) rows[place + 1].focus(); break;
    case "o": if (place >= 0) open(rows[place].href, "_blank", "noopener"); break;
    case "?": if (list) list.showModal(); break;
    case "k": if (place > 0) rows[place - 1].focus(); break;
    }
  });
})();
