import GatehouseCore
import GatehouseHTML
import GatehouseProviders
import GatehouseWire

/// A step that an operator does at the provider.
struct ProviderStep: Sendable {
    enum Copy: String, Sendable {
        case callback, reports
    }

    /// The end of the key of its words.
    let key: String
    var link: String?
    /// What goes from this page into the provider's form.
    var copy: Copy?

    init(_ key: String, _ link: String? = nil, copy: Copy? = nil) {
        self.key = key
        self.link = link
        self.copy = copy
    }

    /// The steps of each kind, in the words of the provider's own pages.
    static let all: [String: [ProviderStep]] = [
        "google": [
            .init("google.open", "https://console.cloud.google.com/apis/credentials"), .init("google.client"),
            .init("google.redirect", copy: .callback), .init("google.copy"), .init("google.native"),
        ],
        "apple": [
            .init("apple.app", "https://developer.apple.com/account/resources/identifiers/list"),
            .init("apple.service", copy: .callback),
            .init("apple.key", "https://developer.apple.com/account/resources/authkeys/list"),
            .init("apple.notify", copy: .reports),
        ],
        "facebook": [
            .init("facebook.open", "https://developers.facebook.com/apps"), .init("facebook.redirect", copy: .callback),
            .init("facebook.deletion", copy: .reports),
        ],
        "line": [
            .init("line.open", "https://developers.line.biz/console/"), .init("line.redirect", copy: .callback),
            .init("line.copy"),
        ],
        "naver": [
            .init("naver.open", "https://developers.naver.com/apps/"), .init("naver.redirect", copy: .callback),
            .init("naver.copy"),
        ],
        "kakao": [
            .init("kakao.open", "https://developers.kakao.com/console/app"), .init("kakao.openid"),
            .init("kakao.redirect", copy: .callback), .init("kakao.admin"), .init("kakao.webhook", copy: .reports),
        ],
        "twitter": [
            .init("twitter.open", "https://developer.x.com/en/portal/dashboard"),
            .init("twitter.redirect", copy: .callback), .init("twitter.copy"),
        ],
        "weibo": [
            .init("weibo.open", "https://open.weibo.com/apps"), .init("weibo.redirect", copy: .callback),
            .init("weibo.copy"),
        ],
        "payco": [
            .init("payco.open", "https://developers.payco.com/"), .init("payco.redirect", copy: .callback),
            .init("payco.copy"),
        ],
        "gamecenter": [
            .init("gamecenter.open", "https://appstoreconnect.apple.com/apps"), .init("gamecenter.bundle"),
            .init("gamecenter.nothing"),
        ],
        "openid": [
            .init("openid.register"), .init("openid.redirect", copy: .callback), .init("openid.copy"),
        ],
        "partner": [
            .init("partner.contract"), .init("partner.redirect", copy: .callback), .init("partner.describe"),
        ],
    ]
}

extension PageRequest {
    /// The steps for a provider, with the addresses of this server and app.
    func steps(_ form: ProviderForm) -> HTML {
        ol(.class("steps")) {
            for step in ProviderStep.all[form.kind.rawValue] ?? [] {
                li {
                    p { words("provider.step.\(step.key)") }
                    if let copy = step.copy {
                        p(.class("to-copy")) {
                            span(.class("small")) { words("provider.copy.\(copy.rawValue)") }
                            " "
                            code(Attribute("data-copy", words("provider.copy"))) { address(copy, form) }
                        }
                    }
                    if let link = step.link {
                        p {
                            a(.href(link), Attribute("target", "_blank"), .rel("noopener noreferrer")) { link }
                        }
                    }
                }
            }
        }
    }

    private func address(_ copy: ProviderStep.Copy, _ form: ProviderForm) -> String {
        let app = place?.app.id ?? AppID("")
        return switch copy {
        case .callback:
            form.view?.configuration.callbackURL
                ?? publicURL + Endpoints.path(Endpoints.callback, of: form.provider, app: app)
        case .reports: publicURL + Endpoints.path(Endpoints.signal, of: form.provider, app: app)
        }
    }
}

// How far a provider is set up, and how much it is used.
extension PageRequest {
    /// A step of setting up a provider, with the part of the page in which it is done.
    private struct Step {
        let name: String
        let part: String
        let isDone: Bool
    }

    /// The steps from the first client id to the first login, ticked off by what is there.
    func progress(_ form: ProviderForm, hasPlayers: Bool) -> HTML {
        let steps = self.steps(form, hasPlayers)
        let next = steps.firstIndex { !$0.isDone }
        return ol(.class("ticks")) {
            for (index, step) in steps.enumerated() {
                li(.class(step.isDone ? "done" : nil), .ariaCurrent(index == next ? "step" : nil)) {
                    span(.class("tick"), .ariaHidden) { step.isDone ? "✓" : String(index + 1) }
                    a(.href("#\(step.part)")) { words("provider.progress.\(step.name)") }
                    small { words(step.isDone ? "provider.progress.done" : "provider.progress.open") }
                }
            }
        }
    }

    private func steps(_ form: ProviderForm, _ hasPlayers: Bool) -> [Step] {
        let view = form.view
        let configuration = view?.configuration
        let hasClient = configuration.map { !$0.clientIds.isEmpty || $0.regions?.isEmpty == false } ?? false
        let secret = Step(name: "secret", part: "here", isDone: view?.missing.isEmpty ?? false)
        let isFine = view.map { $0.isTested && $0.wrongCauses == 0 } ?? false
        return [Step(name: "client", part: "here", isDone: hasClient)]
            + (form.kind.offeredSecrets.contains(where: \.isNeeded) ? [secret] : [])
            + [
                Step(name: "tested", part: "test", isDone: isFine),
                Step(name: "on", part: "main", isDone: configuration?.isEnabled ?? false),
                Step(name: "login", part: "test", isDone: hasPlayers),
            ]
    }

    // MARK: Use

    /// The number of logins with a provider in the last days, and their share of all logins.
    func share(of provider: Provider, in use: ProviderUse) -> Cell {
        let amount = use[provider]
        guard use.logins > 0 else { return Cell(words("provider.use-none")) }
        let values = [
            "percent": Numbers.percent(amount.logins, of: use.logins), "logins": Chart.grouped(amount.logins),
        ]
        return Cell(words("provider.use-share", values), note: amount.isShared ? words("provider.use-shared") : nil)
    }

    /// The number of logins that failed because the provider could not be asked, and their share of those with it.
    func failures(of provider: Provider, in use: ProviderUse) -> Cell {
        let amount = use[provider]
        guard let percent = amount.failurePercent else { return Cell(words("provider.use-none")) }
        guard amount.failures > 0 else { return Cell(words("provider.failures-none"), badge: "good") }
        let values = [
            "percent": Numbers.percent(amount.failures, of: amount.logins &+ amount.failures),
            "logins": Chart.grouped(amount.failures),
        ]
        return Cell(words("provider.failures-share", values), badge: percent < 5 ? "warn" : "bad")
    }
}
