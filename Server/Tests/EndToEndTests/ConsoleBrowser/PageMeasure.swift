/// What a script finds wrong with the layout of a page in a window of one size.
enum PageMeasure {
    /// A word that fits nowhere, which the test appends to every text of the database.
    static let longWord = String(repeating: "abcdefghij", count: 6)

    /// Each fault as the kind, the element and its text.
    ///
    /// A text may be cut with an ellipsis where its title, or what it unfolds, has the whole. Text in a scroll container may go on outside of
    /// it; a list, and a chart on a wide screen, need no scrolling sideways. Nothing that sticks lies on a text.
    static let faults = #"""
        // The page's script hears of the window's size now, and everything is at its beginning.
        dispatchEvent(new Event('resize'));
        for (const box of document.querySelectorAll('html, .scroll, .who')) box.scrollTop = 0;
        const bad = new Set(), root = document.documentElement, width = root.clientWidth;
        const styles = new Map(), blocks = new Map();
        const style = e => styles.get(e) ?? (styles.set(e, getComputedStyle(e)), styles.get(e));
        const name = e => {
          const own = x => x.tagName.toLowerCase() + [...x.classList].map(c => '.' + c).join('');
          return (e.parentElement ? own(e.parentElement) + '>' : '') + own(e);
        };
        const say = (kind, e, text) => bad.add(kind + ' | ' + name(e) + ' | ' + text.trim().replace(/\s+/g, ' ').slice(0, 40));
        const isPainted = s => s.backgroundColor != 'rgba(0, 0, 0, 0)' ||
          ['Top', 'Right', 'Bottom', 'Left'].some(side => parseFloat(s['border' + side + 'Width']) > 0);
        const blockOf = e => {
          if (blocks.has(e)) return blocks.get(e);
          const found = e.ownerSVGElement || style(e).display != 'inline' ? e : blockOf(e.parentElement);
          blocks.set(e, found);
          return found;
        };
        if (root.scrollWidth > width) bad.add('sideways | html | ' + (root.scrollWidth - width));
        // A chapter of the manual is as long as it is.
        if (width == 1280 && root.scrollHeight > 3000 && !location.pathname.includes('/help')) bad.add('long | html | ' + root.scrollHeight);

        // On a phone the header takes two lines: 105 pixels.
        const header = document.querySelector('header.top')?.offsetHeight;
        if (width == 400 && header > 120) bad.add('high | header | ' + header);
        // A flex box drops the space before the arrow of a menu.
        for (const e of document.querySelectorAll('header .opens'))
          if (style(e).display == 'flex' && !(parseFloat(style(e).columnGap) > 1)) say('touches', e, e.textContent);

        const texts = [], walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange();
        while (walker.nextNode()) {
          const node = walker.currentNode, e = node.parentElement, text = node.textContent;
          if (!text.trim() || e.closest('.hidden, .skip, option, script, style, title, desc, .card caption')) continue;
          if (!e.checkVisibility({visibilityProperty: true, contentVisibilityAuto: true})) continue;
          range.selectNodeContents(node);
          let rects = [...range.getClientRects()].filter(r => r.width > 0.5 && r.height > 0.5);
          if (!rects.length) continue;
          const words = text.trim(), block = blockOf(e);
          if (words.length >= 6 && rects.length >= 4 && rects.length > words.length / 3) say('letters', e, words);
          const cell = e.closest('td'), room = cell && cell.clientWidth - parseFloat(style(cell).paddingLeft) - parseFloat(style(cell).paddingRight);
          if (cell && rects.length >= 3 && room < 96) say('narrow', cell, words);
          if (!e.ownerSVGElement) {
            // Left and right are the reader's to scroll as soon as one box around the text scrolls.
            let scrollsX = false, scrollsY = false;
            for (let box = block; box && box != document.body; box = box.parentElement) {
              const s = style(box), b = box.getBoundingClientRect();
              if (s.display == 'inline' || s.display == 'contents') continue;
              const clips = s.overflowX != 'visible', holds = box == block || clips || isPainted(s);
              const isCut = s.textOverflow == 'ellipsis' && box.closest('[title], details');
              if (holds && !/auto|scroll/.test(s.overflowX + s.overflowY)) for (const r of rects) {
                if (!scrollsX && !isCut && (r.left < b.left - 1 || r.right > b.right + 1)) say('leaves', box, words);
                const slack = box == block && !clips && !isPainted(s) ? Infinity : 3;
                if (!scrollsY && (r.top < b.top - slack || r.bottom > b.bottom + slack)) say('leaves', box, words);
              }
              if (/auto|scroll/.test(s.overflowX)) scrollsX = true;
              if (/auto|scroll/.test(s.overflowY) && box.scrollHeight > box.clientHeight + 1) scrollsY = true;
              if (clips) rects = rects.map(r => {
                const [left, top] = [Math.max(r.left, b.left), Math.max(r.top, b.top)];
                return new DOMRect(left, top, Math.min(r.right, b.right) - left, Math.min(r.bottom, b.bottom) - top);
              }).filter(r => r.width > 0 && r.height > 0);
              if (s.position == 'fixed') break;
            }
          }
          // A line's box is higher than its letters.
          for (const r of rects) texts.push({e, block, words, left: r.left + 1, right: r.right - 1, top: r.top + r.height * .22, bottom: r.bottom - r.height * .22});
        }
        texts.sort((a, b) => a.top - b.top);
        for (let i = 0; i < texts.length; i++) for (let j = i + 1; j < texts.length && texts[j].top < texts[i].bottom; j++) {
          const a = texts[i], b = texts[j];
          if (a.block == b.block || a.right <= b.left || b.right <= a.left) continue;
          say('overlap', a.e, a.words.slice(0, 18) + ' / ' + b.words.slice(0, 18));
        }

        for (const e of document.body.querySelectorAll('*')) {
          if (!/sticky|fixed/.test(style(e).position)) continue;
          const r = e.getBoundingClientRect();
          for (const t of texts)
            if (!e.contains(t.e) && t.right > r.left + 1 && t.left < r.right - 1 && t.bottom > r.top + 1 && t.top < r.bottom - 1)
              say('covered', t.e, t.words);
        }
        for (const box of document.querySelectorAll('.rows, .chart .scroll')) {
          if (box.closest('.will') || width < 700 && box.closest('.chart')) continue;
          if (box.scrollWidth > box.clientWidth + 1) say('wide', box, String(box.scrollWidth - box.clientWidth));
        }
        // A picture is shown larger or smaller than its units, and its letters with it.
        for (const t of document.querySelectorAll('.chart svg[role] text')) {
          const scale = t.ownerSVGElement.getBoundingClientRect().width / t.ownerSVGElement.viewBox.baseVal.width;
          if (parseFloat(style(t).fontSize) * scale < 11.5) say('tiny', t, t.textContent);
        }

        // What is chosen or preset is read in full; on a phone the open list shows it. What somebody has typed may be longer than its field.
        const pen = document.createElement('canvas').getContext('2d'), isLong = text => text.includes('\#(longWord)');
        for (const e of document.querySelectorAll('select, input[type=number], input[type=text]')) {
          if (!e.clientWidth || !e.checkVisibility({visibilityProperty: true})) continue;
          const s = style(e);
          if (e.tagName == 'SELECT' && width > 700) {
            const text = e.selectedOptions[0]?.text ?? '';
            pen.font = s.font;
            // The arrow takes 20 pixels.
            const room = e.clientWidth - parseFloat(s.paddingLeft) - parseFloat(s.paddingRight) - 20;
            if (!isLong(text) && pen.measureText(text).width > room + 1) say('cut', e, e.name + ' ' + text);
          } else if (e.tagName != 'SELECT' && width > 1000 && !isLong(e.value) && e.scrollWidth > e.clientWidth + 1) say('cut', e, e.name + ' ' + e.value);
        }

        // A moment needs the room that its field takes by itself.
        for (const e of document.querySelectorAll('input[type=datetime-local]')) {
          if (!e.clientWidth || !e.checkVisibility({visibilityProperty: true})) continue;
          const whole = e.cloneNode();
          whole.value = '2026-12-28T22:30';
          Object.assign(whole.style, {width: 'max-content', minWidth: '0'});
          e.after(whole);
          const room = whole.getBoundingClientRect().width;
          whole.remove();
          if (e.getBoundingClientRect().width < room - 1) say('cut', e, e.name);
        }

        // A control of 24 pixels, a link of that room, or a link within a sentence (WCAG 2.5.8).
        const controls = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary')]
          .filter(e => !e.closest('.skip, svg') && e.checkVisibility({visibilityProperty: true}));
        const spots = controls.map(e => {
          const r = (e.matches('[type=checkbox]') && e.closest('label') || e).getBoundingClientRect();
          return {e, r, x: r.left + r.width / 2, y: r.top + r.height / 2, small: r.width < 23.9 || r.height < 23.9};
        }).filter(s => s.r.width > 0);
        for (const s of spots.filter(s => s.small)) {
          if (s.e.tagName == 'A' && style(s.e).display == 'inline') {
            const block = blockOf(s.e), own = [...block.querySelectorAll('a, button')].reduce((n, a) => n + a.textContent.trim().length, 0);
            if (block.textContent.trim().length > own + 2) continue;
            const isAlone = spots.every(o => o == s || o.e.contains(s.e) || s.e.contains(o.e) || (o.small ? Math.hypot(o.x - s.x, o.y - s.y) >= 24 :
              Math.hypot(Math.max(o.r.left - s.x, 0, s.x - o.r.right), Math.max(o.r.top - s.y, 0, s.y - o.r.bottom)) >= 12));
            if (isAlone) continue;
          }
          say('small', s.e, s.e.textContent || s.e.name || '');
        }
        for (const a of document.querySelectorAll('td.actions a')) {
          const r = a.getBoundingClientRect();
          if (r.width && (r.left < 0 || r.right > width + 1)) say('out of sight', a, a.textContent);
        }
        for (const s of document.querySelectorAll('.scroll, pre'))
          if (s.scrollWidth > s.clientWidth + 1 && s.tabIndex < 0 && !s.querySelector('a, button')) say('no keyboard', s, '');
        for (const a of document.querySelectorAll('a[href^="#"]'))
          if (!document.getElementById(decodeURIComponent(a.hash.slice(1)))) say('dead', a, a.hash);
        return [...bad];
        """#

    /// The texts of a page that may be the name of one without a text, such as `members.title`. Ids and addresses stand in `code`.
    static let marked = #"""
        const found = new Set(), walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
          if (walker.currentNode.parentElement.closest('script, style, pre, code, blockquote')) continue;
          for (const word of walker.currentNode.textContent.split(/[\s,;:()"]+/)) if (/^[a-z][a-z-]*(\.[A-Za-z0-9-]+)+$/.test(word)) found.add(word);
        }
        return [...found];
        """#

    /// The texts of a page that the console itself has written, and those of its fields' placeholders. Each language is called by its own
    /// name.
    static let texts = """
        const found = new Set(), walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
          const e = walker.currentNode.parentElement, text = walker.currentNode.textContent.trim();
          if (text && e.closest('[lang]') == document.documentElement && !e.closest('script, style, bdi, pre, code, blockquote, #f-language')) found.add(text);
        }
        for (const e of document.querySelectorAll('[placeholder], [aria-label]')) found.add(e.placeholder || e.ariaLabel);
        found.add(document.title.split(' · ')[0]);
        return [...found];
        """
}
