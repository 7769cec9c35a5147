import GatehouseConsole
import GatehouseCore
import GatehouseHTML
import GatehouseLook
import GatehouseSecurity
import HTTPTypes
import Hummingbird
import NIOCore

/// `/`: says where everything is, because somebody who opens the server's address in a browser has no other way to learn it.
struct StartRoute: Sendable {
    let configuration: ServerConfiguration
    /// The address of the fake identity providers, in development.
    let fakeWorld: (@Sendable () -> String)?

    /// One line of the page.
    private struct Place {
        let address: String
        let name: LocalizedText
        let text: LocalizedText
    }

    func add(to router: Router<GatehouseContext>) {
        router.getOnly("/") { request, context in
            let languages = AcceptedLanguages.parse(request.headers[.acceptLanguage])
            func inLanguage(_ text: LocalizedText) -> String {
                HTML.escaped(text.text(preferring: languages, fallback: "en") ?? "")
            }
            let rows = places(for: request, context).map { place in
                """
                <section class="card"><h2><a href="\(HTML.escaped(place.address))">\(inLanguage(place.name))</a></h2>\
                <p>\(inLanguage(place.text))</p><p class="small"><code>\(HTML.escaped(place.address))</code></p></section>
                """
            }
            return PlainPage(
                Self.title.text(preferring: languages, fallback: "en") ?? "",
                language: LocalizedText.language(ofPagesFor: languages),
                content: "<p>\(inLanguage(Self.intro))</p>\(rows.joined())"
            ).response()
        }
    }

    /// What this visitor can open. The console and the metrics do not exist for everybody.
    private func places(for request: Request, _ context: GatehouseContext) -> [Place] {
        let address = configuration.trustedProxies.client(of: request, context)
        func isFor(_ networks: Networks, _ believesLoopback: Bool) -> Bool {
            networks.contains(address)
                && !configuration.trustedProxies.isForwardedByStranger(
                    request, context, believesLoopback: believesLoopback || !configuration.mayHideProxy)
        }
        var places: [Place] = []
        if let console = configuration.console, isFor(console.networks, console.believesLoopback) {
            places.append(Self.console)
        }
        if let fakeWorld { places.append(Place(address: fakeWorld(), name: Self.world.name, text: Self.world.text)) }
        places.append(Self.document)
        places.append(Self.health)
        if isFor(configuration.metricsReaders, configuration.metricsBelieveLoopback) { places.append(Self.metrics) }
        return places
    }

    private static let title = LocalizedText([
        "en": "This is a Gatehouse server", "ko": "Gatehouse 서버입니다", "ja": "Gatehouseサーバーです",
    ])

    private static let intro = LocalizedText([
        "en": "It signs players in to games. A game talks to it by its SDK, and here is what people can open.",
        "ko": "게임 플레이어의 로그인을 맡는 서버입니다. 게임은 SDK로 통신하며, 사람이 열 수 있는 페이지는 아래와 같습니다.",
        "ja": "ゲームのプレイヤーのログインを担うサーバーです。ゲームはSDKで通信します。人が開けるページは次のとおりです。",
    ])

    private static let console = Place(
        address: Console.prefix,
        name: LocalizedText(["en": "Operator console", "ko": "운영자 콘솔", "ja": "運用コンソール"]),
        text: LocalizedText([
            "en":
                "Members, bans, maintenance, identity providers and numbers. In development, open it by the link that was printed at the start.",
            "ko": "회원, 이용 정지, 점검, IdP 설정, 지표를 다룹니다. 개발 중에는 시작할 때 출력된 링크로 여세요.",
            "ja": "会員、利用停止、メンテナンス、IdPの設定、数値を扱います。開発中は起動時に表示されたリンクから開いてください。",
        ]))

    private static let world = (
        name: LocalizedText(["en": "The fake world", "ko": "가짜 IdP 세계", "ja": "偽のIdPの世界"]),
        text: LocalizedText([
            "en": "Identity providers for development: disturb them and watch what a game does.",
            "ko": "개발용 IdP입니다. 장애를 일으켜 게임이 어떻게 반응하는지 볼 수 있습니다.",
            "ja": "開発用のIdPです。障害を起こして、ゲームの反応を確かめられます。",
        ])
    )

    private static let document = Place(
        address: "/openapi",
        name: LocalizedText(["en": "HTTP API", "ko": "HTTP API", "ja": "HTTP API"]),
        text: LocalizedText([
            "en": "Every call with its fields and answers, for game servers and for clients without an SDK.",
            "ko": "모든 호출의 필드와 응답입니다. 게임 서버와 SDK가 없는 클라이언트를 위한 문서입니다.",
            "ja": "すべての呼び出しの項目と応答です。ゲームサーバーと、SDKのないクライアントのための文書です。",
        ]))

    private static let health = Place(
        address: "/health/ready",
        name: LocalizedText(["en": "Health", "ko": "상태 확인", "ja": "ヘルスチェック"]),
        text: LocalizedText([
            "en": "Whether the server wants players, for load balancers.",
            "ko": "서버가 플레이어를 받을 수 있는지 알려 줍니다. 로드 밸런서용입니다.",
            "ja": "サーバーがプレイヤーを受け入れられるかを、ロードバランサーに知らせます。",
        ]))

    private static let metrics = Place(
        address: "/metrics",
        name: LocalizedText(["en": "Metrics", "ko": "메트릭", "ja": "メトリクス"]),
        text: LocalizedText([
            "en": "Counts and times in Prometheus' format.", "ko": "Prometheus 형식의 횟수와 시간입니다.",
            "ja": "Prometheus形式の回数と時間です。",
        ]))
}

extension PlainPage {
    /// The page with a policy that allows its own style and nothing else.
    func response(_ status: HTTPResponse.Status = .ok, headers others: HTTPFields = [:]) -> Response {
        var headers: HTTPFields = [
            .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
            .contentSecurityPolicy:
                "default-src 'none'; style-src \(Self.styleSource); base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            .xContentTypeOptions: "nosniff",
        ]
        for field in others { headers[field.name] = field.value }
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: html)))
    }
}
