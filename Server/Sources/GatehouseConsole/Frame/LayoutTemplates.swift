import GatehouseCore
extension Console {
    static let layoutTemplates = [
        Template(
            "head",
            """
            <meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><link rel="stylesheet" href="{{assets.style}}"><link rel="icon" href="{{assets.icon}}">
            """),
        // The page of somebody who is not signed in, and of an error.
        Template(
            "plain",
            """
            <!doctype html>
            <html lang="{{language}}">
            <head>{{> head}}<title>{{title}} · Gatehouse</title></head>
            <body class="plain">
            <main id="main">
            {{$brand}}<p class="brand">Gatehouse</p>{{/brand}}
            <h1>{{title}}</h1>
            {{$content}}{{/content}}
            </main>
            </body>
            </html>
            """),
        Template(
            "layout",
            """
            <!doctype html>
            <html lang="{{language}}" data-theme="{{theme}}" data-density="{{density}}"{{#hasShortcuts}} data-keys="on"{{/hasShortcuts}}>
            <head>{{> head}}<title>{{title}}{{#app}} · {{name}}{{/app}} · Gatehouse</title><script src="{{assets.script}}" defer></script></head>
            <body>
            <a class="skip" href="#main">{{t.frame.skip}}</a>
            <header class="top{{#app}} {{color}}{{/app}}">
            <button type="button" class="menu" popovertarget="navigation">{{t.frame.navigation}}</button><a class="brand" href="/console">Gatehouse</a>
            {{#app}}<a class="app" href="{{home}}"><bdi>{{name}}</bdi> <span class="small">{{id}}</span></a>
            <form class="find" role="search" action="{{find}}" method="get"><label class="hidden" for="find">{{t.frame.find}}</label><input id="find" name="q" type="search" placeholder="{{t.frame.find}}" maxlength="200" autocomplete="off"><button>{{t.frame.find-button}}</button></form>{{/app}}
            <nav class="person" aria-label="{{t.frame.account}}"><form method="post" action="/console/me/language"><input type="hidden" name="token" value="{{formToken}}"><input type="hidden" name="back" value="{{here}}">{{#again}}<input type="hidden" name="again" value="{{.}}">{{/again}}{{#languages}}<button name="to" value="{{address}}" lang="{{address}}"{{#isCurrent}} aria-current="true"{{/isCurrent}}>{{text}}</button>{{/languages}}</form><a href="/console/me">{{person}}</a></nav>
            </header>
            <div class="columns">
            <nav class="side" id="navigation" popover aria-label="{{t.frame.navigation}}">
            {{#navigation}}<h2>{{title}}</h2><ul>{{#links}}<li><a href="{{address}}"{{#isCurrent}} aria-current="page"{{/isCurrent}}>{{text}}</a></li>{{/links}}</ul>{{/navigation}}
            <h2>{{t.nav.server}}</h2><ul>{{#serverNavigation}}<li><a href="{{address}}"{{#isCurrent}} aria-current="page"{{/isCurrent}}>{{text}}</a></li>{{/serverNavigation}}</ul>
            </nav>
            <main id="main" tabindex="-1">
            {{#banner}}<p class="notice warn">{{.}}</p>{{/banner}}
            {{#hasCrumbs}}<nav class="crumbs" aria-label="{{t.frame.crumbs}}"><ol>{{#crumbs}}<li><a href="{{address}}">{{text}}</a></li>{{/crumbs}}</ol></nav>{{/hasCrumbs}}
            <div class="heading"><h1>{{title}}{{#help}} <a class="to-manual" href="{{.}}">?<span class="hidden"> {{t.frame.help}}</span></a>{{/help}}</h1>{{#hasActions}}<div class="buttons">{{#actions}}<a class="button{{#style}} {{.}}{{/style}}" href="{{address}}">{{text}}</a>{{/actions}}</div>{{/hasActions}}</div>
            {{#result}}<p class="notice {{resultStyle}}" role="status">{{.}}{{#undo}} <a class="button" href="{{address}}">{{text}}</a>{{/undo}}</p>{{/result}}
            {{$content}}{{/content}}
            </main>
            </div>
            <footer>{{t.frame.transaction}} <code>{{transaction}}</code> · {{t.frame.time}} {{serverTime}} · {{t.frame.zone}} {{zone}} · <bdi>{{person}}</bdi></footer>
            {{#hasShortcuts}}<dialog id="keys" aria-labelledby="keys-title"><h2 id="keys-title">{{t.keys.title}}</h2><dl class="facts"><dt><kbd>/</kbd></dt><dd>{{t.keys.find}}</dd><dt><kbd>g</kbd> <kbd>o</kbd></dt><dd>{{t.nav.overview}}</dd><dt><kbd>g</kbd> <kbd>m</kbd></dt><dd>{{t.nav.members}}</dd><dt><kbd>g</kbd> <kbd>b</kbd></dt><dd>{{t.nav.bans}}</dd><dt><kbd>g</kbd> <kbd>l</kbd></dt><dd>{{t.nav.launching}}</dd><dt><kbd>g</kbd> <kbd>p</kbd></dt><dd>{{t.nav.providers}}</dd><dt><kbd>g</kbd> <kbd>a</kbd></dt><dd>{{t.nav.audit}}</dd><dt><kbd>g</kbd> <kbd>j</kbd></dt><dd>{{t.nav.jobs}}</dd><dt><kbd>j</kbd> <kbd>k</kbd></dt><dd>{{t.keys.rows}}</dd><dt><kbd>Enter</kbd></dt><dd>{{t.keys.open}}</dd><dt><kbd>o</kbd></dt><dd>{{t.keys.tab}}</dd><dt><kbd>Esc</kbd></dt><dd>{{t.keys.leave}}</dd><dt><kbd>?</kbd></dt><dd>{{t.keys.title}}</dd></dl><p class="small">{{t.keys.off}}</p><form method="dialog"><button>{{t.keys.close}}</button></form></dialog>{{/hasShortcuts}}
            </body>
            </html>
            """),
        Template(
            "cell",
            """
            {{#badge}}<span class="badge {{.}}">{{/badge}}{{#link}}<a href="{{.}}">{{/link}}{{#machine}}<time datetime="{{.}}" title="{{universal}}">{{day}}<wbr>{{hour}}</time>{{/machine}}{{^machine}}{{#isCode}}<code>{{/isCode}}{{#badge}}{{text}}{{/badge}}{{^badge}}<bdi>{{text}}</bdi>{{/badge}}{{#isCode}}</code>{{/isCode}}{{/machine}}{{#link}}</a>{{/link}}{{#badge}}</span>{{/badge}}{{#note}} <small>{{.}}</small>{{/note}}
            """),
        Template(
            "table",
            """
            {{#hasRows}}<div class="scroll" tabindex="0" role="region" aria-label="{{caption}}"><table><caption>{{caption}}</caption><thead><tr>{{#columns}}<th scope="col">{{.}}</th>{{/columns}}{{#hasActions}}<td></td>{{/hasActions}}</tr></thead><tbody>
            {{#rows}}<tr>{{#cells}}<td{{#isLong}} class="long"{{/isLong}}>{{> cell}}</td>{{/cells}}{{#hasActions}}<td class="actions">{{#actions}}<a href="{{address}}">{{text}}</a> {{/actions}}</td>{{/hasActions}}</tr>
            {{/rows}}</tbody></table></div>{{/hasRows}}{{^hasRows}}<p class="empty">{{empty}}</p>{{/hasRows}}{{> pages}}
            """),
        Template(
            "pages",
            """
            {{#hasPages}}<nav class="pages" aria-label="{{t.frame.pages}}">{{#newer}}<a class="button" rel="prev" href="{{.}}">{{t.frame.newer}}</a>{{/newer}} {{#older}}<a class="button" rel="next" href="{{.}}">{{t.frame.older}}</a>{{/older}}</nav>{{/hasPages}}
            """),
        AmountTable.template,
        Template(
            "facts",
            """
            <dl class="facts">{{#facts}}<dt>{{label}}</dt><dd>{{#value}}{{> cell}}{{/value}}</dd>{{/facts}}</dl>
            """),
        Template(
            "list",
            """
            {{<layout}}{{$content}}
            {{#intro}}<p>{{.}}</p>{{/intro}}
            {{#filters}}<form class="filters" method="get" action="{{path}}">{{#fields}}
            {{> field}}
            {{/fields}}<button>{{t.frame.filter}}</button></form>{{/filters}}
            {{#hasChips}}<ul class="chips">{{#chips}}<li><a href="{{address}}">{{text}} <span aria-hidden="true">×</span></a></li>{{/chips}}</ul>{{/hasChips}}
            {{#table}}{{> table}}{{/table}}
            {{/content}}{{/layout}}
            """),
    ]

    /// Every template.
    static let templates =
        layoutTemplates + deedTemplates + [
            Field.template, errorTemplate, clearTemplate, signInTemplate, enrolmentTemplate, recoveryTemplate,
            homeTemplate, factorPartial, ownFactorTemplate,
            memberTemplate, noteTemplate, comparisonTemplate, refusalTemplate, meTemplate,
            helpTemplate, spansTemplate,
        ] + banTemplates + gameTemplates + ruleTemplates + providerTemplates + serverTemplates + overviewTemplates

    /// Every page behind the sign-in. A new one gets a line here.
    static func addPages(to pages: Pages) {
        addDeeds(to: pages)
        addHome(to: pages)
        addMe(to: pages)
        addFactor(to: pages)
        addHelp(to: pages)
        addMembers(to: pages)
        addBans(to: pages)
        addGame(to: pages)
        addRules(to: pages)
        addProviders(to: pages)
        addServerPages(to: pages)
        addOverview(to: pages)
    }

    /// Every kind of change: the table of actions.
    static let deeds: [DeedKind] =
        selfDescribing + memberDeeds + banDeeds + gameDeeds + ruleDeeds + providerDeeds + serverDeeds

    private static let selfDescribing: [DeedKind] = OperatorActions.all.map { DeedKind($0) }
}
