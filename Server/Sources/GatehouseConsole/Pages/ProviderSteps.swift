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

extension Visit {
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
