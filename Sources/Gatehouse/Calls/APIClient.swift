import Foundation
import GatehouseWire

/// Sends calls of the contract: it signs each attempt, repeats calls that the network has lost, and turns every answer into a value or
/// an ``AuthError``.
struct APIClient: Sendable {
    let configuration: GatehouseClient.Configuration
    let environment: GatehouseClient.Environment
    let clock: ServerClock
    let unanswered: UnansweredCalls
    let log: Log

    /// What a call presents to authenticate itself.
    struct Credentials: Sendable {
        var key: StoredKey?
        /// The refresh token or the access token, as the endpoint requires.
        var token: String?
    }

    /// - Parameter retries: how often a lost try is repeated; nil takes the configuration's number.
    /// - Parameter timeoutSeconds: the longest that one try may take, where that is less than the configuration's.
    func send<Request, Response>(
        _ endpoint: Endpoint<Request, Response>, _ body: Request, _ credentials: Credentials, retries: Int? = nil,
        timeoutSeconds: Double = .infinity
    ) async throws(AuthError) -> Response {
        let call = try Call(endpoint, body, credentials, self)
        defer { if let name = call.name { unanswered.ended(name) } }
        var trace = CallTrace(endpoint.template, log, at: environment.monotonicMilliseconds)
        do throws(AuthError) {
            let value: Response = try await send(call, retries ?? configuration.retries, timeoutSeconds, &trace)
            trace.succeeded()
            return value
        } catch {
            trace.failed(error)
            throw error
        }
    }

    private func send<Response: Decodable>(
        _ call: Call, _ retries: Int, _ timeoutSeconds: Double, _ trace: inout CallTrace
    ) async throws(AuthError) -> Response {
        var lost = 0
        var corrections = 0
        while true {
            let response: TransportResponse
            do {
                response = try await environment.send(try request(call, timeoutSeconds))
            } catch {
                let failure = Self.failure(of: error)
                guard failure.isNetworkError, lost < retries else { throw failure }
                lost += 1
                trace.retries(after: failure)
                do { try await environment.sleep(pauseSeconds(before: lost)) } catch { throw Self.failure(of: error) }
                continue
            }
            trace.response = response
            do throws(AuthError) {
                let value = try decode(Response.self, response)
                if let name = call.name { unanswered.done(name, at: clock.now) }
                return value
            } catch {
                // The server has said why it refused the proof. A new proof by the server's clock may pass; it is tried at most twice.
                guard corrections < 2, correct(error) else {
                    // An answer by a proxy says nothing about what the server has done, so only the server's own refusals count.
                    if error.domain == AuthError.serverDomain, let name = call.name {
                        unanswered.refused(name, at: clock.now)
                    }
                    throw error
                }
                corrections += 1
                trace.retries(after: error)
            }
        }
    }

    /// How long to wait before a lost call is repeated: the pauses double up to 8 seconds. Half of each is random, because after an outage
    /// all games of a server would come back in step.
    private func pauseSeconds(before retry: Int) -> Double {
        let longest = min(8, 0.25 * Double(1 << min(retry - 1, 5)))
        let share = environment.randomBytes(2).reduce(0) { $0 * 256 + Double($1) } / 65_536
        return longest * (1 + share) / 2
    }

    /// One logical call, which stays the same over all its attempts.
    private struct Call: Sendable {
        let method: String
        let url: URL
        let body: Data?
        let headers: [String: String]
        let credentials: Credentials
        /// The call's name among the unanswered calls; nil for a call that may safely be made twice.
        let name: String?

        init<Request, Response>(
            _ endpoint: Endpoint<Request, Response>, _ request: Request, _ credentials: Credentials, _ client: APIClient
        ) throws(AuthError) {
            let path = endpoint.path(app: client.configuration.appID)
            url = try client.configuration.url(ofPath: path)
            method = endpoint.verb.rawValue
            self.credentials = credentials
            var headers = ["Accept": "application/json"]
            let languages = client.configuration.languages.prefix(5).enumerated()
            if !languages.isEmpty {
                headers["Accept-Language"] = languages.map { $0 == 0 ? $1 : "\($1);q=0.\(9 - $0)" }
                    .joined(separator: ", ")
            }
            headers[HeaderNames.client] = client.configuration.client?.headerValue
            headers[HeaderNames.keyProtection] = credentials.key?.protection.rawValue
            if let token = credentials.token {
                headers["Authorization"] = "\(HeaderNames.authorizationScheme) \(token)"
            }
            body = try Self.body(of: request)
            if body != nil { headers["Content-Type"] = "application/json" }
            if endpoint.changes {
                name = Self.name(of: endpoint, path: path, body: body, credentials.key, client)
                headers[HeaderNames.idempotencyKey] = client.idempotencyKey(of: name)
            } else {
                name = nil
            }
            self.headers = headers
        }

        private static func name<Request, Response>(
            of endpoint: Endpoint<Request, Response>, path: String, body: Data?, _ key: StoredKey?, _ client: APIClient
        ) -> String? {
            // A call with a refresh token logs in with it, refreshes it or ends it, and beginning a page changes nothing: each may be
            // repeated.
            let isHarmless = endpoint.access == .refreshToken || endpoint.template == Endpoints.beginLogin.template
            guard let key, !isHarmless else { return nil }
            return client.unanswered.name(method: endpoint.verb.rawValue, path: path, body: body, device: key)
        }

        /// Keys are sorted, so that the same value gives the same bytes in another process too: a repeated call is recognised by its
        /// bytes.
        private static func body<Request: Encodable>(of request: Request) throws(AuthError) -> Data? {
            if request is Empty { return nil }
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            guard let data = try? encoder.encode(request) else {
                throw AuthError(.invalidParameter, message: "The request can't be written as JSON.")
            }
            return data
        }
    }

    private func idempotencyKey(of name: String?) -> String {
        guard let name else { return idempotencyKey() }
        return unanswered.begin(name, at: clock.now, make: idempotencyKey)
    }

    /// The key begins with the time, so that the server's index of keys grows only at its end.
    private func idempotencyKey() -> String {
        let time = String(UInt64(clamping: clock.now), radix: 16)
        let random = environment.randomBytes(10).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return String(repeating: "0", count: max(0, 12 - time.count)) + time + random
    }

    private func request(_ call: Call, _ timeoutSeconds: Double) throws -> TransportRequest {
        var headers = call.headers
        if let key = call.credentials.key {
            let proof = Proof(
                method: call.method, url: call.url.absoluteString, token: call.credentials.token, date: clock.now)
            headers[HeaderNames.proof] = try proof.signed(by: key, randomBytes: environment.randomBytes)
        }
        return TransportRequest(
            method: call.method, url: call.url, headers: headers, body: call.body,
            timeoutSeconds: min(timeoutSeconds, configuration.timeoutSeconds))
    }

    private func decode<Response: Decodable>(
        _ type: Response.Type, _ response: TransportResponse
    ) throws(AuthError) -> Response {
        if response.status == 200 {
            guard let value = try? JSONDecoder().decode(type, from: response.body) else {
                throw AuthError(.serverInvalidResponse)
            }
            if let date = try? JSONDecoder().decode(Dated.self, from: response.body).serverDate {
                clock.synchronize(with: date)
            }
            return value
        }
        guard let envelope = try? JSONDecoder().decode(ErrorEnvelope.self, from: response.body) else {
            // The answer is not one of Gatehouse's. It comes from a proxy or another server.
            throw AuthError(
                response.status >= 500 ? .serverInternalError : .serverInvalidResponse,
                message: "The server answered with HTTP status \(response.status).")
        }
        throw AuthError(envelope.error)
    }

    private struct Dated: Decodable {
        let serverDate: Int64?
    }

    /// Whether another attempt with a new proof makes sense. It sets the clock when the clock was the cause.
    private func correct(_ error: AuthError) -> Bool {
        switch error.reason {
        case .proofStale:
            guard let date = error.details.serverDate else { return false }
            clock.synchronize(with: date)
            return true
        case .proofReplayed: return true
        default: return false
        }
    }

    private static func failure(of error: any Error) -> AuthError {
        switch error {
        case let error as AuthError: error
        case is CancellationError: AuthError(.authUserCanceled, message: "The call was cancelled.")
        case TransportError.timedOut: AuthError(.socketResponseTimeout, underlying: error)
        case is TransportError: AuthError(.socketError, underlying: error)
        default: AuthError(.authUnknownError, underlying: error)
        }
    }
}

/// What the log is told of one call, over all its attempts.
struct CallTrace {
    private let endpoint: String
    private let log: Log
    private let milliseconds: @Sendable () -> Int64
    private let begin: Int64
    private var retries = 0
    /// The last answer.
    var response: TransportResponse?

    init(_ endpoint: String, _ log: Log, at milliseconds: @escaping @Sendable () -> Int64) {
        self.endpoint = endpoint
        self.log = log
        self.milliseconds = milliseconds
        begin = milliseconds()
    }

    /// An attempt has failed, and another one follows.
    mutating func retries(after error: AuthError) {
        retries += 1
        log(.info, .callRetried, error.logMetadata.merging(["endpoint": endpoint, "attempt": String(retries)]) { $1 })
    }

    func succeeded() { log(.debug, .callSucceeded, metadata(nil)) }

    func failed(_ error: AuthError) {
        log(error.logLevel, .callFailed, metadata(error.transactionID).merging(error.logMetadata) { $1 })
    }

    private func metadata(_ id: TransactionID?) -> [String: String?] {
        [
            "endpoint": endpoint, "status": response.map { String($0.status) },
            "milliseconds": String(milliseconds() &- begin), "retries": String(retries),
            "transactionId": (response?.transactionID ?? id?.rawValue).flatMap(Self.plain),
        ]
    }

    /// A header comes from outside: only an id of the server's form is logged.
    private static func plain(_ id: String) -> String? {
        let isPlain = id.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
        return isPlain && id.utf8.count <= 64 ? id : nil
    }
}
