"""Publishing frozen releases at the Hugging Face Hub and Zenodo."""
