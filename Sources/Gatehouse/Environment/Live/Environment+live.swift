import Foundation
import GatehouseWire

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

#if canImport(os)
import os
#endif

extension GatehouseClient.Environment {
    /// The device's clocks, the system's random number generator, real waiting, and a separate URL session.
    public static func live() -> Self { live(clock: LiveTime.clock) }

    /// - Parameter clock: the clock by which the SDK counts the server's time. A test passes one of its own.
    package static func live(clock: some SleepCountingClock) -> Self {
        let transport = URLSessionTransport()
        var environment = Self(
            wallMilliseconds: { Int64(Date().timeIntervalSince1970 * 1_000) },
            monotonicMilliseconds: clock.stopwatch(),
            randomBytes: { count in
                var generator = SystemRandomNumberGenerator()
                return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            },
            sleep: { seconds in
                try await Task.sleep(nanoseconds: UInt64(max(0, min(seconds, 86_400)) * 1_000_000_000))
            },
            send: { request in try await transport.send(request) }, warn: { warn($0) }
        )
        environment.keyHardware = .system
        return environment
    }

    /// Writes to the system's log on Apple's systems, and to standard error elsewhere.
    private static func warn(_ text: String) {
        #if canImport(os)
        Logger(subsystem: "Gatehouse", category: "login").warning("\(text, privacy: .public)")
        #else
        FileHandle.standardError.write(Data("Gatehouse: \(text)\n".utf8))
        #endif
    }
}

/// A URL session without cookies, caches and redirects. A redirect is not followed because it could send proofs to another server.
final class URLSessionTransport: Sendable {
    private static let maximumAnswerBytes = 1 << 20
    private let session: URLSession

    init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpMaximumConnectionsPerHost = 8
        session = URLSession(configuration: configuration, delegate: NoRedirects(), delegateQueue: nil)
    }

    deinit {
        // A session keeps itself and its delegate alive until it is invalidated.
        session.finishTasksAndInvalidate()
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        var urlRequest = URLRequest(url: request.url)
        urlRequest.httpMethod = request.method
        urlRequest.httpBody = request.body
        for (name, value) in request.headers { urlRequest.setValue(value, forHTTPHeaderField: name) }
        let task = TaskBox()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let dataTask = session.dataTask(with: urlRequest) { data, response, error in
                    continuation.resume(
                        with: task.hasTimedOut ? .failure(TransportError.timedOut) : Self.result(data, response, error))
                }
                task.start(dataTask)
                // This limits the whole request. A URL session's own time-out limits only pauses, and on Linux not even those.
                DispatchQueue.global().asyncAfter(deadline: .now() + max(0, request.timeoutSeconds)) { task.timeOut() }
            }
        } onCancel: {
            task.cancel()
        }
    }

    private static func result(
        _ data: Data?, _ response: URLResponse?, _ error: (any Error)?
    ) -> Result<TransportResponse, any Error> {
        if let error {
            switch (error as? URLError)?.code {
            case .cancelled: return .failure(CancellationError())
            case .timedOut: return .failure(TransportError.timedOut)
            default: return .failure(TransportError.unreachable(error.localizedDescription))
            }
        }
        guard let http = response as? HTTPURLResponse else {
            return .failure(TransportError.unreachable("the answer is not HTTP"))
        }
        guard let data, data.count <= maximumAnswerBytes else {
            return .failure(TransportError.unreachable("the answer is too large"))
        }
        return .success(
            TransportResponse(
                status: http.statusCode, body: data,
                transactionID: http.value(forHTTPHeaderField: HeaderNames.transactionID)))
    }

    /// A task that may be cancelled before it has been started.
    private final class TaskBox: Sendable {
        private let task = Locked<(task: URLSessionDataTask?, isCancelled: Bool, hasTimedOut: Bool)>(
            (nil, false, false))

        var hasTimedOut: Bool { task.withLock { $0.hasTimedOut } }

        func timeOut() {
            let late = task.withLock { state in
                state.hasTimedOut = state.task?.state == .running
                return state.task
            }
            late?.cancel()
        }

        func start(_ new: URLSessionDataTask) {
            let isCancelled = task.withLock { state in
                state.task = new
                return state.isCancelled
            }
            new.resume()
            if isCancelled { new.cancel() }
        }

        func cancel() {
            task.withLock { state in
                state.isCancelled = true
                return state.task
            }?.cancel()
        }
    }

    private final class NoRedirects: NSObject, URLSessionTaskDelegate, Sendable {
        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }
    }
}
