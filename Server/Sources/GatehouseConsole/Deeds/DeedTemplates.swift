extension Console {
    static let deedTemplates = [
        Template(
            "deed-form",
            """
            {{<layout}}{{$content}}
            {{> problems}}
            {{#hasPresets}}<nav aria-label="{{t.deed.presets}}"><ul class="chips">{{#presets}}<li><a href="{{address}}">{{text}}</a></li>{{/presets}}</ul></nav>{{/hasPresets}}
            <form method="post" action="{{action}}" class="card">
            <input type="hidden" name="token" value="{{formToken}}">
            {{#hidden}}{{> field}}{{/hidden}}
            {{#fields}}
            {{> field}}
            {{/fields}}
            <div class="buttons"><button class="primary">{{t.deed.next}}</button></div>
            <p class="small">{{t.deed.next-help}}</p>
            </form>
            {{/content}}{{/layout}}
            """),
        Template(
            "deed-confirmation",
            """
            {{<layout}}{{$content}}
            {{#isStale}}<p class="notice warn" role="alert">{{t.deed.stale}}</p>{{#changes}}{{> table}}{{/changes}}{{/isStale}}
            {{> problems}}
            <form method="post" action="{{action}}" class="card">
            <input type="hidden" name="token" value="{{formToken}}">
            {{#hidden}}{{> field}}{{/hidden}}
            <h2>{{t.deed.what}}</h2>
            <ul class="consequences">{{#consequences}}<li>{{.}}</li>{{/consequences}}</ul>
            {{#hasReads}}<h2>{{t.deed.player-reads}}</h2>
            <dl class="facts">{{#reads}}<dt>{{label}}</dt><dd><blockquote>{{#value}}{{> cell}}{{/value}}</blockquote></dd>{{/reads}}</dl>{{/hasReads}}
            {{#table}}{{> table}}{{/table}}
            <p class="undo-note">{{undoes}}</p>
            {{#fields}}
            {{> field}}
            {{/fields}}
            {{#needsSignIn}}<h2>{{t.deed.sign-in}}</h2>
            {{#signIn}}
            {{> field}}
            {{/signIn}}{{/needsSignIn}}
            <div class="buttons"><button class="{{#isDangerous}}danger{{/isDangerous}}{{^isDangerous}}primary{{/isDangerous}}">{{button}}</button> <a class="button" href="{{cancel}}" data-replace>{{t.deed.cancel}}</a></div>
            </form>
            {{/content}}{{/layout}}
            """),
        Template(
            "deed-secrets",
            """
            {{<layout}}{{$content}}
            <div class="card">
            <p class="notice warn" role="status">{{t.deed.once}}</p>
            <dl class="facts">{{#secrets}}<dt>{{label}}</dt><dd>{{#value}}{{> cell}}{{/value}}</dd>{{/secrets}}</dl>
            <div class="buttons"><a class="button primary" href="{{back}}">{{t.deed.kept}}</a></div>
            </div>
            {{/content}}{{/layout}}
            """),
        Template(
            "deed-departure",
            """
            {{<layout}}{{$content}}
            <div class="card">
            <p>{{t.deed.departure}} <bdi>{{host}}</bdi></p>
            <div class="buttons"><a class="button primary" href="{{departure}}" rel="noreferrer">{{t.deed.departure-go}}</a> <a class="button" href="{{back}}">{{t.deed.cancel}}</a></div>
            </div>
            {{/content}}{{/layout}}
            """),
        Template(
            "problems",
            """
            {{#hasProblems}}<div class="notice bad" role="alert" tabindex="-1"><p>{{t.deed.problems}}</p><ul>{{#problems}}<li><a href="{{address}}">{{text}}</a></li>{{/problems}}</ul></div>{{/hasProblems}}
            """),
    ]
}
