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
        guard ServerAPI.isPath(path) else { return nil }
        var path = path
        guard let range = path.withUTF8(range) else { return nil }
        let utf8 = path.utf8
        let start = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
        let end = utf8.index(start, offsetBy: range.count)
        return ("\(path[..<start])\(mark)\(path[end...])", AccessToken(String(path[start..<end])))
    }

    /// Where the token stands. It holds no slash: the last one is in front of it.
    private static func range(_ bytes: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        let end = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.count
        guard let slash = bytes[..<end].lastIndex(of: UInt8(ascii: "/")), slash + 1 < end,
            bytes[..<slash].suffix("/tokens".utf8.count).elementsEqual("/tokens".utf8)
        else { return nil }
        return slash + 1..<end
    }
}
