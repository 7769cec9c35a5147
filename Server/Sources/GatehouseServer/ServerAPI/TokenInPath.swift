import GatehouseWire
import HTTPTypes
import Hummingbird

/// Gamebase's Server API has the access token in the path. It is taken out before anything else sees the request: so nothing
/// behind can log it, and the router does not walk its four hundred letters.
struct TokenInPath<Next: HTTPResponder>: HTTPResponder where Next.Context == GatehouseContext {
    let next: Next

    func respond(to request: Request, context: GatehouseContext) async throws -> Response {
        guard let (path, token) = PathToken.take(from: request.head.path ?? "") else {
            return try await next.respond(to: request, context: context)
        }
        var head = request.head
        head.path = path
        var context = context
        context.pathToken = token
        return try await next.respond(to: Request(head: head, body: request.body), context: context)
    }
}

enum PathToken {
    /// What stands in the path then.
    static let mark = "-"

    /// The path without the segment behind `/tokens/`, which is the last one; nil for a path that has none.
    static func take(from path: String) -> (path: String, token: AccessToken)? {
        let bytes = path.utf8
        guard bytes.starts(with: "/tcgb-".utf8) else { return nil }
        // The token holds no slash: the last one is in front of it.
        let end = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
        guard let slash = bytes[..<end].lastIndex(of: UInt8(ascii: "/")), slash != bytes.startIndex,
            bytes[..<slash].suffix("/tokens".utf8.count).elementsEqual("/tokens".utf8)
        else { return nil }
        let start = bytes.index(after: slash)
        guard start < end else { return nil }
        return ("\(path[..<start])\(mark)\(path[end...])", AccessToken(String(path[start..<end])))
    }
}
