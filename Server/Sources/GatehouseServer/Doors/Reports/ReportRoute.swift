import GatehouseCore
import GatehouseJSON
import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird
import NIOCore

/// Receives the reports of identity providers, each in its provider's format.
struct ReportRoute: Sendable {
    let actions: Actions
    let requests: RequestReader
    let origins: PublicOrigins

    func add(to router: Router<GatehouseContext>) {
        let path = RouterPath(Endpoints.signal)
        router.post(path, use: answer)
        // Kakao may send a query. A person who asks Facebook about the state of a deletion also comes here.
        router.get(path) { request, context in
            let isReport = !context.isHead && request.headers[.authorization] != nil
            guard !isReport else { return try await answer(request, context) }
            _ = try await requests.context(of: request, context)
            return Self.json(["status": "received"])
        }
    }

    @Sendable private func answer(_ request: Request, _ context: GatehouseContext) async throws -> Response {
        var request = request
        requests.note(request, context)
        let visit = try await requests.context(of: request, context)
        let body = try await RequestBody.collect(&request)
        let message = SignalReader.Message(
            body: Data(body.readableBytesView), query: request.uri.query ?? "",
            authorization: request.headers[.authorization])
        let provider = Provider(context.parameters.get("idp") ?? "")
        let actor = Actor(principal: .provider(provider), door: .provider)
        let kind = try await context.whileClientWaits {
            try await actions.run(ReceiveReport(message: message, provider: provider), by: actor, in: visit)
        }
        let host = request.head.authority ?? ""
        let origin = ["https://\(host)", "http://\(host)"].lazy.compactMap { origins.origin($0) }.first?.text ?? ""
        return Self.json(kind.description.reports?.receipt?(message, "\(origin)\(request.uri.path)") ?? [:])
    }

    private static func json(_ members: [String: String]) -> Response {
        let body = (try? JSONWriter.bytes(of: members)) ?? []
        return Response(
            status: .ok, headers: [.contentType: "application/json", .cacheControl: "no-store"],
            body: .init(byteBuffer: ByteBuffer(bytes: body)))
    }
}
