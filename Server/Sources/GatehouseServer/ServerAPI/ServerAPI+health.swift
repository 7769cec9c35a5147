import GatehouseWire
import HTTPTypes
import Hummingbird

/// 19: a ping of clients, which need no key for it. They send the version of their own SDK, and one in a browser asks from the page
/// of its game: it alone of all calls is answered to other origins (CORS), because it tells nothing.
extension ServerAPI {
    private static let path = ServerAPIEndpoint.health.template
    private static let everyOrigin: HTTPFields = [.accessControlAllowOrigin: "*"]

    func addHealth(to router: Router<GatehouseContext>) {
        router.get(RouterPath(Self.path)) { request, context in
            try await withTaskExecutorPreference(context.executor) {
                let id = context.parameters.get("appId") ?? ""
                context.visitor.note(app: id, address: trustedProxies.client(of: request, context))
                guard let version = context.parameters.get("version"), Self.isVersion(version) else {
                    throw ServerAPIFailure(.unsupportedVersion, Refusal(.notSupported, "That is no version."))
                }
                _ = try await directory.entry(AppID(id))
                var response = Self.response(
                    try JSONWriter.bytes(of: DoneAnswer(header: .success(context.transactionID))))
                response.headers.append(contentsOf: Self.everyOrigin)
                return response
            }
        }
        // What a browser asks before a request with headers of Gamebase's.
        router.on(RouterPath(Self.path), method: .options) { _, _ in
            var headers = Self.everyOrigin
            headers[.accessControlAllowMethods] = "GET"
            headers[.accessControlAllowHeaders] = "*"
            headers[.accessControlMaxAge] = "86400"
            return Response(status: .noContent, headers: headers)
        }
    }

    /// The headers of a failure at a path: a browser shows one of the ping to its page as well.
    static func origins(of path: String) -> HTTPFields {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        let isHealth = segments.count == 6 && segments[1] == "tcgb-gateway" && segments[5] == "health"
        return isHealth ? everyOrigin : [:]
    }

    /// `v` and one to three numbers, such as v1.3.2.
    private static func isVersion(_ text: String) -> Bool {
        let numbers = text.dropFirst().split(separator: ".", omittingEmptySubsequences: false)
        return text.utf8.count <= 16 && text.hasPrefix("v") && (1...3).contains(numbers.count)
            && numbers.allSatisfy { number in
                !number.isEmpty && number.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            }
    }
}
