import Gamebase

/// An adapter of a game for Google. It logs in with a token, and stores the view controllers that it receives.
final class OwnAdapter: TCGBAuthAdapterDelegate {
    private let token: String
    var viewControllers: [UIViewController?] = []

    init(token: String) { self.token = token }

    func providerName() -> String { kTCGBAuthGoogle }

    func login(
        sender: Any?, target: (any TCGBAuthAdapterDelegate)?, additionalInfo: [String: Any]?,
        viewController: UIViewController?, completion: @escaping (Any?, TCGBError?) -> Void
    ) {
        viewControllers.append(viewController)
        let credential = TCGBProviderAuthCredential()
        credential.authToken = TCGBProviderAuthToken()
        credential.authToken?.accessToken = token
        completion(credential, nil)
    }
}
