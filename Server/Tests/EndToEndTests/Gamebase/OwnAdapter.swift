import Gamebase

/// An adapter of a game for Google. It logs in with a token or completes with an error, and stores the view controllers that it receives.
final class OwnAdapter: TCGBAuthAdapterDelegate {
    private let token: String
    private let error: TCGBError?
    var viewControllers: [UIViewController?] = []

    init(token: String = "", error: TCGBError? = nil) {
        self.token = token
        self.error = error
    }

    func providerName() -> String { kTCGBAuthGoogle }

    func login(
        sender: Any?, target: (any TCGBAuthAdapterDelegate)?, additionalInfo: [String: Any]?,
        viewController: UIViewController?, completion: @escaping (Any?, TCGBError?) -> Void
    ) {
        viewControllers.append(viewController)
        if let error { return completion(nil, error) }
        let credential = TCGBProviderAuthCredential()
        credential.authToken = TCGBProviderAuthToken()
        credential.authToken?.accessToken = token
        completion(credential, nil)
    }
}
