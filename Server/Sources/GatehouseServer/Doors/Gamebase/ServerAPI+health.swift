import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird

/// 19: a ping for clients, which needs no key. Clients send the version of their own SDK, and browser games send it from the page of
/// the game. So it is the only call that answers other origins (CORS), which is safe because it reveals nothing.
extension ServerAPI {
    private static let path = ServerAPIEndpoint.health.template
    private static let everyOrigin: HTTPFields = [.accessControlAllowOrigin: "*"]

    func addHealth(to router: Router<GatehouseContext>) {
        router.get(RouterPath(Self.path)) { request, context in
            requests.note(request, context)
            guard let version = context.parameters.get("version"), Self.isVersion(version) else {
                throw ServerAPIFailure(.unsupportedVersion, Refusal(.notSupported, "That is no version."))
            }
            _ = try await requests.entry(context)
            var response = Self.response(
                try JSONWriter.bytes(of: DoneAnswer(header: .success(context.transactionID))))
            response.headers.append(contentsOf: Self.everyOrigin)
            return response
        }
        // A browser sends this preflight before a request with Gamebase's headers.
        router.on(RouterPath(Self.path), method: .options) { _, _ in
            var headers = Self.everyOrigin
            headers[.accessControlAllowMethods] = "GET"
            headers[.accessControlAllowHeaders] = "*"
            headers[.accessControlMaxAge] = "86400"
            return Response(status: .noContent, headers: headers)
        }
    }

    /// The headers of a failure at a path. For the ping, a browser must be able to show a failure to its page too.
    static func origins(of path: String) -> HTTPFields {
        let segments = path.parts(at: "/", withEmpty: true)
        let isHealth = segments.count == 6 && segments[1] == "tcgb-gateway" && segments[5] == "health"
        return isHealth ? everyOrigin : [:]
    }

    /// Accepts `v` and one to three numbers, such as v1.3.2.
    private static func isVersion(_ text: String) -> Bool {
        let numbers = text.dropFirst().parts(at: ".", withEmpty: true)
        return text.utf8.count <= 16 && text.begins(with: "v") && (1...3).contains(numbers.count)
            && numbers.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(ASCII.isDigit) }
    }
}
