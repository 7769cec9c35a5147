// The contents beside a page begin where the page itself is in them.
"use strict";
const contents = document.querySelector(".contents");
const current = contents.querySelector("[aria-current]");
if (current) contents.scrollTop = current.offsetTop - contents.offsetTop - contents.clientHeight / 3;
