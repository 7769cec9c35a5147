// The search of the manual. `manual` is the list that scripts/render-manual writes into search-index.js: each section as
// [language, title of the page, heading, address, text, name of the page's file].
"use strict";

const field = document.querySelector("main input[type=search]");
const list = document.querySelector("#results");
const status = document.querySelector("#status");
const language = document.documentElement.lang;
const root = document.body.dataset.root;
const most = 40;
const common = new Set("a an and are can do does for how i in is it of on the to what when where with".split(" "));

const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

// Words of Latin letters and numbers are found by their beginnings, others (Korean, Japanese) anywhere. The plural finds the singular.
function patterns(query, anywhere) {
    const words = query.normalize("NFC").split(/\s+/).map((word) => word.replace(/^["'(]+|["'().,?]+$/g, "")).filter(Boolean);
    const rare = words.filter((word) => !common.has(word.toLowerCase()));
    return (rare.length > 0 ? rare : words).slice(0, 8).map((term) => {
        const isLatin = /^[\x20-\x7e]+$/.test(term);
        const stem = isLatin && /[a-z]{3,}s$/i.test(term) ? term.slice(0, -1) : term;
        const before = isLatin && !anywhere ? "(?<![\\p{L}\\p{N}])" : "";
        return {
            begins: new RegExp(before + escape(stem), "giu"),
            whole: isLatin ? new RegExp("(?<![\\p{L}\\p{N}])" + escape(term) + "(?![\\p{L}\\p{N}])", "iu") : new RegExp(escape(term), "iu"),
        };
    });
}

const count = (text, pattern) => (text.match(pattern) || []).length;

// A term in a heading or in a page's title says more than one in its text. 0 if a term is nowhere.
function score([, title, heading, , text, name], terms) {
    let sum = 0;
    for (const { begins, whole } of terms) {
        const one =
            count(heading, begins) && (whole.test(heading) ? 40 : 20) ||
            count(title, begins) && (heading !== "" ? 4 : whole.test(title) ? 35 : 18) ||
            0;
        const more = Math.min(count(text, begins), 5) + (whole.test(text) ? 3 : 0);
        const file = whole.test(name) ? (heading === "" ? 35 : 4) : 0;
        if (one + more + file === 0) return 0;
        sum += one + more + file;
    }
    return name.startsWith("contributing/") ? sum / 2 : sum;
}

function find(query) {
    for (const anywhere of [false, true]) {
        const terms = patterns(query, anywhere);
        if (terms.length === 0) return { terms, found: [] };
        // A page and its translation would be two answers to one question: a language finds its own pages and the English ones.
        const found = manual
            .filter((entry) => entry[0] === language || entry[0] === "en" || /[^\x00-\x7f]/.test(query))
            .map((entry) => ({ entry, points: score(entry, terms) * (entry[0] === language ? 2 : 1) }))
            .filter(({ points }) => points > 0)
            .sort((a, b) => b.points - a.points);
        if (found.length > 0 || anywhere) return { terms, found };
    }
}

// Adds a text to an element, with each match in a <mark>. The text is never read as HTML.
function mark(element, text, terms) {
    const matches = terms.flatMap(({ begins }) => [...text.matchAll(begins)].map((match) => [match.index, match.index + match[0].length]));
    let position = 0;
    for (const [begin, end] of matches.sort((a, b) => a[0] - b[0])) {
        if (begin < position) continue;
        element.append(text.slice(position, begin));
        element.append(Object.assign(document.createElement("mark"), { textContent: text.slice(begin, end) }));
        position = end;
    }
    element.append(text.slice(position));
    return element;
}

function snippet(text, terms) {
    const first = Math.min(...terms.map(({ begins }) => text.search(begins)).filter((index) => index >= 0), text.length);
    let begin = first === text.length ? 0 : Math.max(0, first - 90);
    if (begin > 0) begin = text.indexOf(" ", begin) + 1 || begin;
    if (begin > first) begin = first;
    const end = begin + 240 < text.length ? Math.max(text.lastIndexOf(" ", begin + 240), begin + 200) : text.length;
    return (begin > 0 ? "… " : "") + text.slice(begin, end).trim() + (end < text.length ? " …" : "");
}

function show(query) {
    const { terms, found } = find(query);
    list.replaceChildren(...found.slice(0, most).map(({ entry: [, title, heading, address, text] }) => {
        const item = document.createElement("li");
        const link = Object.assign(document.createElement("a"), { href: root + address });
        mark(link, heading === "" ? title : `${title} › ${heading}`, terms);
        item.append(link, mark(document.createElement("p"), snippet(text, terms), terms));
        return item;
    }));
    status.textContent = terms.length === 0 ? "" :
        found.length === 0 ? status.dataset.none :
        (found.length > most ? status.dataset.most : status.dataset.found).replace("%1", found.length).replace("%2", most);
}

function search() {
    const address = new URL(location.href);
    address.searchParams.set("q", field.value);
    history.replaceState(null, "", address);
    show(field.value);
}

field.addEventListener("input", search);
field.form.addEventListener("submit", (event) => { event.preventDefault(); search(); });

// The arrow keys walk from the field through the results and back; / leads to the field.
document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const links = [field, ...list.querySelectorAll("a")];
    const place = links.indexOf(document.activeElement);
    if (event.key === "/" && document.activeElement?.tagName !== "INPUT") {
        event.preventDefault();
        field.select();
    } else if (place >= 0 && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
        event.preventDefault();
        links[Math.min(Math.max(place + (event.key === "ArrowDown" ? 1 : -1), 0), links.length - 1)].focus();
    }
});

field.value = new URLSearchParams(location.search).get("q") || "";
show(field.value);
field.focus();
