import GatehouseSecurity
import GatehouseWire

extension Console {
    static let providerTemplates = [
        Template(
            "providers",
            """
            {{<layout}}{{$content}}
            {{#groups}}<h2>{{heading}}</h2>
            <ul class="cards providers">{{#cards}}<li class="card"><h3>{{#link}}<a href="{{address}}"><bdi>{{text}}</bdi></a>{{/link}}</h3><p>{{#state}}{{> cell}}{{/state}} <code>{{id}}</code></p>{{#hasMissing}}<ul class="missing">{{#missing}}<li>{{.}}</li>{{/missing}}</ul>{{/hasMissing}}<p class="small">{{#test}}{{> cell}}{{/test}}</p></li>{{/cards}}</ul>
            {{/groups}}
            {{#mayAdd}}<section class="card"><h2>{{t.provider.own}}</h2><p class="small">{{t.provider.own-name.help}}</p><form method="get" action="{{newAddress}}" class="filters">{{#newFields}}
            {{> field}}
            {{/newFields}}<button>{{t.provider.set-up}}</button></form></section>{{/mayAdd}}
            {{/content}}{{/layout}}
            """),
        Template(
            "provider",
            """
            {{<layout}}{{$content}}
            {{#hasFacts}}<section class="card">{{> facts}}</section>{{/hasFacts}}
            {{#lookUp}}{{#isFilled}}<p class="notice good" role="status">{{t.look-up.filled}}</p><section class="card">{{> facts}}</section>{{/isFilled}}{{/lookUp}}
            <div class="work">
            <section class="card" id="there"><h2><span class="number">1</span> {{t.provider.there}}</h2>
            <ol class="steps">{{#steps}}<li><p>{{text}}</p>{{#copy}}<p class="to-copy"><span class="small">{{label}}</span> <code data-copy="{{t.provider.copy}}">{{.}}</code></p>{{/copy}}{{#link}}<p><a href="{{.}}" target="_blank" rel="noopener noreferrer">{{.}}</a></p>{{/link}}</li>{{/steps}}</ol></section>
            <section class="card" id="here"><h2><span class="number">2</span> {{t.provider.here}}</h2>
            {{#mayChange}}<form method="post" action="{{saveAddress}}"><input type="hidden" name="token" value="{{formToken}}">{{#hidden}}{{> field}}{{/hidden}}
            {{#fields}}
            {{> field}}
            {{/fields}}
            <details{{#hasLooked}} open{{/hasLooked}}><summary>{{t.provider.more}}</summary>
            {{#rare}}
            {{> field}}
            {{/rare}}
            </details>
            <div class="buttons"><button class="primary">{{t.deed.next}}</button>{{#lookUp}}{{#address}} <button formaction="{{.}}" formnovalidate>{{t.look-up.button}}</button>{{/address}}{{/lookUp}}</div><p class="small">{{t.deed.next-help}}</p>{{#lookUp}}{{#address}}<p class="small">{{t.look-up.help}}</p>{{/address}}{{/lookUp}}</form>{{/mayChange}}
            {{^mayChange}}<dl class="facts">{{#settings}}<dt>{{label}}</dt><dd>{{#value}}{{> cell}}{{/value}}</dd>{{/settings}}</dl>{{/mayChange}}</section>
            <section class="card" id="test"><h2><span class="number">3</span> {{t.provider.test}}</h2>
            {{^isSetUp}}<p class="empty">{{t.provider.test-later}}</p>{{/isSetUp}}
            {{#isSetUp}}{{#mayChange}}<form method="post" action="{{testAddress}}"><input type="hidden" name="token" value="{{formToken}}"><input type="hidden" name="once" value="{{once}}">{{#hidden}}{{> field}}{{/hidden}}<p class="help">{{t.provider.test-help}}</p><div class="buttons"><button>{{t.provider.test-now}}</button></div></form>{{/mayChange}}
            {{#test}}{{#hasRun}}<p class="small">{{line}}</p>{{#isOld}}<p class="notice warn">{{t.provider.test-old}}</p>{{/isOld}}<ul class="findings">{{#findings}}<li>{{#verdict}}{{> cell}}{{/verdict}} <span>{{text}}</span></li>{{/findings}}</ul>{{/hasRun}}{{^hasRun}}<p class="empty">{{t.provider.untested}}</p>{{/hasRun}}{{/test}}
            {{#mayChange}}{{#loginTest}}<h3>{{t.test-login.heading}}</h3>{{#hasPage}}<form method="post" action="{{testAddress}}"><input type="hidden" name="token" value="{{formToken}}"><input type="hidden" name="once" value="{{once}}"><input type="hidden" name="way" value="login">{{#hidden}}{{> field}}{{/hidden}}<p class="help">{{t.test-login.help}}</p>{{#regions}}
            {{> field}}
            {{/regions}}<div class="buttons"><button>{{t.test-login.button}}</button></div></form>{{/hasPage}}{{^hasPage}}<p class="empty">{{t.test-login.none}}</p>{{/hasPage}}{{/loginTest}}{{/mayChange}}{{/isSetUp}}</section>
            </div>
            <section class="card" id="history"><h2>{{t.provider.history}}</h2>{{#history}}{{> table}}{{/history}}</section>
            {{/content}}{{/layout}}
            """),
        testLoginTemplate,
    ]
}

extension Visit {
    /// A value that makes a form count once.
    func once() -> String { Base64URL.encode(console.random.bytes(16)) }
}
