import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1

/// The server's own requests: no redirects, a bounded time, a bounded size.
enum OutgoingHTTP {
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(connect: .seconds(3), read: .seconds(OutgoingRequest.timeoutSeconds)))
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 8
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    static func fetch(_ request: OutgoingRequest) async throws -> OutgoingResponse {
        guard OutgoingRequest.isAllowed(request.url) else { throw IdentityFailure.misconfigured }
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.method = .RAW(value: request.method)
        for (name, value) in request.headers { outgoing.headers.add(name: name, value: value) }
        outgoing.headers.replaceOrAdd(name: "User-Agent", value: "Gatehouse")
        outgoing.headers.replaceOrAdd(name: "Accept", value: "application/json")
        if let body = request.body { outgoing.body = .bytes(ByteBuffer(bytes: body)) }
        let response = try await client.execute(outgoing, timeout: .seconds(OutgoingRequest.timeoutSeconds))
        let body = try await response.body.collect(upTo: OutgoingRequest.maximumBytes)
        return OutgoingResponse(status: Int(response.status.code), body: Data(body.readableBytesView))
    }
}
