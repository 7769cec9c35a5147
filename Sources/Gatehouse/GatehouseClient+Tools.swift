import Foundation
public import GatehouseWire

extension GatehouseClient {
    /// The headers that authenticate a call: a proof by this device's key, with the stored token. For tools that explore the HTTP API
    /// by hand.
    ///
    /// - Throws: ``ErrorCode/notLoggedIn`` (2) when the access needs a token and none is stored; ``ErrorCode/invalidParameter`` (3) when
    ///   the server's URL is none; ``ErrorCode/authUnknownError`` (3999) when the storage can't be read.
    @_spi(Tools) public func signedHeaders(
        method: String, path: String, access: EndpointAccess
    ) throws(AuthError) -> [String: String] {
        do {
            let token: String?
            switch access {
            case .open: return [:]
            case .deviceKey: token = nil
            case .refreshToken: token = try storedSession().refreshToken.secretValue
            case .accessToken: token = try storedSession().accessToken.secretValue
            }
            let url = try configuration.url(ofPath: path)
            let proof = Proof(method: method, url: url.absoluteString, token: token, date: api.clock.now)
            var headers = [
                HeaderNames.proof: try proof.signed(by: store.deviceKey(), randomBytes: environment.randomBytes)
            ]
            if let token { headers["Authorization"] = "\(HeaderNames.authorizationScheme) \(token)" }
            return headers
        } catch let error as AuthError {
            throw error
        } catch {
            throw AuthError(.authUnknownError, underlying: error)
        }
    }

    private func storedSession() throws -> StoredSession {
        guard let session = try store.session() else { throw AuthError(.notLoggedIn) }
        return session
    }
}
