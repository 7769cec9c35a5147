import Foundation
import Gatehouse
import GatehouseWire

/// The adapters that a game gets without configuration. Gamebase finds its own adapters by their presence.
enum Adapters {
    static var standard: [any AuthAdapter] {
        var adapters: [any AuthAdapter] = []
        #if canImport(AuthenticationServices) && !os(tvOS)
        adapters.append(SignInWithAppleAdapter())
        #endif
        #if canImport(GameKit)
        adapters.append(GameCenterAdapter())
        #else
        // The only Game Center on this system is the fake one of a development server.
        adapters.append(FakeWorldAdapter(.gameCenter))
        #endif
        #if os(tvOS)
        return adapters
        #else
        return adapters + browsers.filter { provider in !adapters.contains { $0.provider == provider } }.map(browser)
        #endif
    }

    #if !os(tvOS)
    private static let browsers: [Provider] = [
        .google, .apple, .facebook, .line, .naver, .twitter, .weibo, .payco, .hangame, .kakaoGame,
    ]

    private static func browser(_ provider: Provider) -> any AuthAdapter {
        #if canImport(AuthenticationServices)
        let scheme =
            Bundle.main.object(forInfoDictionaryKey: TCGBConfiguration.callbackSchemeInfoKey) as? String
            ?? "tcgb.\(Bundle.main.bundleIdentifier ?? "game")"
        return BrowserAdapter(provider, callbackScheme: scheme)
        #else
        return BrowserAdapter(provider)
        #endif
    }
    #endif
}

/// Adapts a game's own adapter to the SDK's protocol.
struct DelegateAdapter: AuthAdapter {
    let provider: Provider
    /// It is used only on the main thread.
    private let delegate: Unchecked<any TCGBAuthAdapterDelegate>

    init(_ delegate: any TCGBAuthAdapterDelegate) {
        provider = Provider(delegate.registeredName)
        self.delegate = Unchecked(delegate)
    }

    func logIn(_ request: AdapterRequest) async throws -> Credential {
        let info = request.additionalInfo.mapValues(\.foundation)
        let box = Unchecked(info)
        let delegate = delegate
        let provider = provider
        let presenter = request.presenter as? Unchecked<UIViewController?>
        var credential: Credential = try await withCheckedThrowingContinuation { continuation in
            let once = ResumeOnce(continuation)
            Task { @MainActor in
                delegate.value.login(
                    sender: nil, target: delegate.value, additionalInfo: box.value, viewController: presenter?.value
                ) { credential, error in
                    once.resume(Self.result(credential as? TCGBProviderAuthCredential, error, provider))
                }
            }
        }
        // A provider with regions has settings of its own for each: the server verifies by those of the login's.
        credential.region = request.region
        return credential
    }

    static func result(
        _ credential: TCGBProviderAuthCredential?, _ error: TCGBError?, _ provider: Provider
    ) -> Result<Credential, any Error> {
        if let error { return .failure(failure(error)) }
        guard let credential = CredentialDictionary.credential(dictionary(credential, provider)) else {
            return .failure(
                AdapterError.failed(code: 0, message: "The adapter has brought neither a token nor a proof."))
        }
        return .success(credential)
    }

    /// What an adapter can know of a login at its provider. The other codes are the server's or the SDK's to tell: an adapter can't say
    /// that a member is banned (7).
    private static let codes: Set<ErrorCode> = [
        .authUserCanceled, .authNotSupportedProvider, .authExternalLibraryInitializationError,
        .authExternalLibraryError,
        .authIDPLoginFailed, .authIDPLoginInvalidIDPInfo, .authIDPLoginExternalAuthenticationRequired,
        .iosGameCenterDenied, .socketResponseTimeout, .socketError,
    ]

    /// The login ends with the adapter's code if that is one of Gamebase's; any other number is the library's, and the detail of 3009.
    /// The library's own error, if the adapter passes it on, is the detail in each case.
    private static func failure(_ error: TCGBError) -> any Error {
        let library = (error.userInfo[NSUnderlyingErrorKey] as? NSError).map(detail)
        let code = ErrorCode(rawValue: error.code)
        guard code == .authUserCanceled || error.domain == TCGBDomainGamebase && codes.contains(code) else {
            // A number that is not an adapter's to tell doesn't get Gamebase's domain.
            guard library == nil, error.domain == TCGBDomainGamebase else { return library ?? detail(error) }
            return AdapterError.failed(code: error.code, message: error.message)
        }
        return AuthError(code, message: error.message, underlying: library)
    }

    /// Keeps the domain, code and message of a library's error. The rest may quote a token, and an error is written into logs.
    private static func detail(_ error: NSError) -> NSError {
        NSError(
            domain: error.domain, code: error.code, userInfo: [NSLocalizedDescriptionKey: error.localizedDescription])
    }

    /// The adapter's result, with the keys of a credential dictionary.
    private static func dictionary(_ credential: TCGBProviderAuthCredential?, _ provider: Provider) -> [String: Any] {
        var values: [String: Any] = [kTCGBAuthLoginWithCredentialProviderNameKeyname: provider.rawValue]
        values[kTCGBAuthLoginWithCredentialAccessTokenKeyname] = credential?.authToken?.accessToken
        values[kTCGBAuthLoginWithCredentialAccessTokenSecretKeyname] = credential?.authToken?.accessTokenSecret
        values[kTCGBAuthLoginWithCredentialRefreshTokenKeyname] = credential?.authToken?.refreshToken
        values[kTCGBAuthLoginWithCredentialAuthExtraKeyname] = credential?.authExtra?.extraDictionary()
        return values
    }

    func logOut() async {
        let delegate = delegate
        await MainActor.run { delegate.value.logout(sender: nil, target: delegate.value, completion: { _ in }) }
    }
}

/// Gamebase's naming scheme for an adapter's class.
enum AdapterName {
    /// `facebook` for `TCGBAuthFacebookLogin`; the class's own name for any other.
    static func provider(ofClass name: String) -> String {
        guard name.hasPrefix("TCGBAuth"), name.hasSuffix("Login"), name.count > 13 else { return name }
        return name.dropFirst(8).dropLast(5).lowercased()
    }
}

/// A value of a game's that the compiler can't prove to be sendable, because Gamebase's API does not ask for it.
struct Unchecked<Value>: @unchecked Sendable {  // It is used on one thread only.
    let value: Value
    init(_ value: Value) { self.value = value }
}
