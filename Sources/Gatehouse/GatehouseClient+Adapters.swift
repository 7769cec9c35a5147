import Foundation
import GatehouseWire

extension GatehouseClient {
    /// The error codes that a call uses for its provider's failures.
    struct AdapterCodes: Sendable {
        /// The provider refuses the player.
        let refused: ErrorCode
        /// The app does not have the provider, or its settings are wrong.
        let notConfigured: ErrorCode

        static let login = AdapterCodes(refused: .authIDPLoginFailed, notConfigured: .authIDPLoginInvalidIDPInfo)
        static let mapping = AdapterCodes(refused: .authAddMappingFailed, notConfigured: .authAddMappingInvalidIDPInfo)
    }

    /// What a game passes to an adapter.
    struct AdapterInput: Sendable {
        let additionalInfo: [String: JSONValue]
        let anchor: PresentationAnchor?
        let presenter: (any Sendable)?
    }

    /// Gets a credential from the provider's adapter.
    func credential(
        from provider: Provider, _ input: AdapterInput, _ codes: AdapterCodes
    ) async throws(AuthError) -> Credential {
        guard let adapter = configuration.adapters.first(where: { $0.provider == provider }) else {
            throw AuthError(.authNotSupportedProvider)
        }
        guard let settings = launching?.providers[provider] else {
            throw AuthError(codes.notConfigured)
        }
        if !startedAdapters.contains(provider) {
            do {
                try await adapter.start(settings)
            } catch {
                let failure = Self.failure(of: error, else: .authExternalLibraryInitializationError, codes)
                reportAdapter(provider, during: "start", failure, error)
                throw failure
            }
            startedAdapters.insert(provider)
        }
        if let known = adapter.additionalInfoKeys {
            warn(of: input.additionalInfo.keys.filter { !known.contains($0) }, at: provider)
        }
        do {
            var request = AdapterRequest(
                settings, input.additionalInfo, input.anchor, send: environment.send
            ) { redirectURI, region in
                try await self.beginLogin(
                    LoginAttemptRequest(
                        provider: provider, redirectUri: redirectURI, region: region,
                        additionalInfo: input.additionalInfo.isEmpty ? nil : input.additionalInfo,
                        reauthenticates: await self.reauthenticates(at: provider) ? true : nil), codes)
            }
            request.presenter = input.presenter
            let credential = try await adapter.logIn(request)
            if credential.loginCode != nil { reportReturn(of: provider) }
            return credential
        } catch {
            let failure = Self.failure(of: error, else: .authExternalLibraryError, codes)
            reportAdapter(provider, during: "logIn", failure, error)
            throw failure
        }
    }

    /// Logs the failure of an adapter. The text of its error is left out, because a library may quote a token.
    private func reportAdapter(_ provider: Provider, during step: String, _ failure: AuthError, _ cause: any Error) {
        browserBegin[provider] = nil
        log(
            .warning, .adapterFailed,
            failure.logMetadata.merging([
                "provider": provider.rawValue, "during": step, "error": "\(type(of: cause))",
                "detailCode": failure.underlying == nil ? nil : String(failure.detailErrorCode),
            ]) { $1 })
    }

    private func reportReturn(of provider: Provider) {
        let begin = browserBegin.removeValue(forKey: provider)
        log(
            .info, .browserReturned,
            [
                "provider": provider.rawValue,
                "milliseconds": begin.map { String(environment.monotonicMilliseconds() &- $0) },
            ])
    }

    /// A key that the provider doesn't use is a mistake in the game: its developer gets a warning, and the login continues.
    private func warn(of keys: [String], at provider: Provider) {
        guard !keys.isEmpty else { return }
        environment.warn("\(provider) has no use for \(keys.sorted().joined(separator: ", ")) of additionalInfo.")
    }

    private func beginLogin(
        _ request: LoginAttemptRequest, _ codes: AdapterCodes
    ) async throws(AuthError) -> BrowserAttempt {
        let key: StoredKey
        do { key = try store.deviceKey() } catch { throw reportLockedStorage(as: codes.refused, error) }
        let attempt: LoginAttempt
        do throws(AuthError) {
            attempt = try await api.send(Endpoints.beginLogin, request, .init(key: key))
        } catch {
            throw error.code == .authIDPLoginInvalidIDPInfo ? error.wrapped(as: codes.notConfigured) : error
        }
        guard let url = URL(string: attempt.authorizationUrl), ["http", "https"].contains(url.scheme) else {
            throw AuthError(.serverInvalidResponse)
        }
        warn(of: attempt.unusedKeys ?? [], at: request.provider)
        let isPrivate = attempt.needsPrivateSession ?? false
        if isPrivate { privatePages.insert(request.provider) } else { privatePages.remove(request.provider) }
        browserBegin[request.provider] = environment.monotonicMilliseconds()
        log(.info, .browserOpened, ["provider": request.provider.rawValue, "isPrivate": String(isPrivate)])
        let page = try configuration.url(ofPath: Endpoints.loginPage)
        return BrowserAttempt(url: url, pageURL: page, isPrivate: isPrivate)
    }

    private static func failure(of error: any Error, else code: ErrorCode, _ codes: AdapterCodes) -> AuthError {
        switch error {
        case let error as AuthError: refusal(error, codes)
        case AdapterError.refused(let reason): refusal(reason, codes)
        case is CancellationError: AuthError(.authUserCanceled, message: "The call was cancelled.")
        case AdapterError.cancelled: AuthError(.authUserCanceled, underlying: error)
        case AdapterError.externalLoginRequired:
            AuthError(.authIDPLoginExternalAuthenticationRequired, underlying: error)
        default: AuthError(code, underlying: error)
        }
    }

    /// An adapter does not know for which call it works, and reports a login's codes during a mapping, too.
    private static func refusal(_ error: AuthError, _ codes: AdapterCodes) -> AuthError {
        let code: ErrorCode =
            switch error.code {
            case .authIDPLoginFailed: codes.refused
            case .authIDPLoginInvalidIDPInfo: codes.notConfigured
            default: error.code
            }
        guard code != error.code else { return error }
        // The adapter's own words stay. Those of the table belong to its code.
        let message = error.message == AuthError(error.code).message ? nil : error.message
        return AuthError(
            code, message: message, domain: error.domain, transactionID: error.transactionID, details: error.details,
            underlying: error.underlying)
    }

    private static func refusal(_ reason: ErrorReason, _ codes: AdapterCodes) -> AuthError {
        let code: ErrorCode =
            switch reason {
            case .providerUnavailable: .serverRemoteSystemError
            case .providerMisconfigured: codes.notConfigured
            default: codes.refused
            }
        return AuthError(code, details: ErrorDetails(reason: reason))
    }

    /// Informs the adapter that the server has accepted its credential.
    func didLogIn(with credential: Credential) async {
        remember(credential)
        // A credential that doesn't come from a page says nothing about the browser.
        if credential.loginCode != nil { noteLogin(at: credential.provider) }
        for adapter in configuration.adapters where adapter.provider == credential.provider {
            await adapter.didLogIn(with: credential)
        }
        await bringProfile(of: credential.provider)
    }

    /// Logs the adapter of one provider out, or all adapters.
    func logOutAdapters(of provider: Provider? = nil) async {
        for adapter in configuration.adapters where provider == nil || adapter.provider == provider {
            await adapter.logOut()
        }
    }
}

// A provider's page remembers its own login in the browser. So the device stores which providers the player has logged out of: their
// next page requires an account and its password (LOGOUT-1, MAP-8), even after a restart.
extension GatehouseClient {
    /// The providers mapped to a session's member. A logout logs out of all of them.
    static func providers(of session: StoredSession) -> Set<Provider> {
        Set([session.provider] + session.member.mappings.map(\.provider)).subtracting([.guest])
    }

    /// Stores that the player has logged out of providers.
    func noteLogout(of providers: Set<Provider>) throws {
        guard !providers.isEmpty else { return }
        let known = try store.loggedOutProviders()
        guard !providers.isSubset(of: known) else { return }
        try store.save(loggedOut: known.union(providers))
    }

    /// Whether the next page of a provider requires the account and password. If the storage can't be read it does, because asking once
    /// too often does no harm.
    func reauthenticates(at provider: Provider) -> Bool {
        guard let providers = try? store.loggedOutProviders() else { return true }
        return providers.contains(provider)
    }

    /// The server has accepted a credential from a provider's page: the player is logged in there again, and the browser knows the
    /// person who has just given the password.
    ///
    /// A page in a private browser session has left the browser as it was, possibly with another person logged in. So that provider's
    /// pages stay private.
    func noteLogin(at provider: Provider) {
        guard !privatePages.contains(provider), let known = try? store.loggedOutProviders(), known.contains(provider)
        else { return }
        try? store.save(loggedOut: known.subtracting([provider]))
    }
}
